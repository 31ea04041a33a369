package logstore

// noFollow is nothing on Windows, where making a symbolic link takes a privilege.
const noFollow = 0
