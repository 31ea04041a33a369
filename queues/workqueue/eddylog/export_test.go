package eddylog

// BrokerClock lets tests give a broker the clock of the suite.
var BrokerClock = brokerClock
