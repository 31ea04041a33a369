package logstore

// noFollow does nothing on Windows, where making a symbolic link takes a privilege.
const noFollow = 0
