// Package durableobject knows which objects are alive, in which order events enter them, and when they wake.
package durableobject
