// Package webcrypto is the Web Cryptography API (https://w3c.github.io/webcrypto/) as the platform has it: the global
// crypto with its subtle, MD5 and timingSafeEqual besides the standard's algorithms, and DigestStream.
//
// # Nouns
//
//   - A [Key] is a CryptoKey: what it is for (algorithm, usages, extractable) and its material. It never changes, and
//     may be read from any goroutine.
//   - Material is the secret or key itself; each kind of material (hmacKey, aesKey, rsaKey …) implements those of the
//     operations that it can do, and an operation that it lacks is refused with the platform's text.
//   - Parameters are what a call gave as its algorithm argument, read from JavaScript once, field by field.
//   - A failure is an error with the class and text that JavaScript sees; the core (everything but class.go, subtle.go,
//     parameters.go and digeststream.go) knows no JavaScript and answers with failures.
//
// # Threads
//
// JavaScript is read and written on the loop. RSA key generation and PBKDF2 run on a goroutine of their own through
// Scope.Promise; everything else takes microseconds and runs on the loop at once.
//
// Random bytes come from the host's source. Go's own RSA and ECDSA signatures, and RSA-OAEP, draw from the system
// instead whatever they are given, so a seeded source makes keys and random values repeatable but not those.
package webcrypto
