package bounds

// MaxNativeCalls is for the tests, which run scripts on a whole engine.
const MaxNativeCalls = maxNativeCalls
