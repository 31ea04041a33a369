// Package images serves the Images binding and the option cf.image of fetch() with Go's image libraries (BIND-90 to
// BIND-93): what the platform's client asks of its service over HTTP, [PictureService] answers, and [Resize] changes
// the answer of a fetch().
//
// # Nouns
//
// A picture is a decoded image, its first frame turned as its EXIF data says. A change is one entry of `transforms`: it
// cuts, turns, resizes and recolours one picture; a drawing lays one picture over another. What cannot be done here
// fails by name, where the reference ignores it.
//
// # Threads
//
// Nothing has state; everything may be called from any goroutine and works off the loops.
package images
