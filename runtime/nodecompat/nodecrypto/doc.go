// Package nodecrypto is the Go half of node:crypto: digests, key derivation, ciphers, keys and their files, signatures,
// key agreement, certificates. The JavaScript half (nodecompat/js/crypto.js) has Node's classes and checks arguments;
// it is a package because it knows cryptography and nothing of modules.
//
// Nouns. A handle is the Go value behind an object of the JavaScript half: a hash, a cipher, a key. A script cannot see
// it.
//
// Threads. Functions are called on the loop goroutine. What takes long (key generation, scrypt, PBKDF2) works on a copy
// of its arguments off the loop and calls back.
package nodecrypto
