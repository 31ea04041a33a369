package eddylog

// HouseClock lets tests give a broker the clock of the suite.
var HouseClock = houseClock
