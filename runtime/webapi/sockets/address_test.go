package sockets

import "testing"

// Addresses are refused as by workerd (observed).
func TestAddresses(t *testing.T) {
	const (
		socket  = "socket"
		integer = "throws TypeError: The value cannot be converted because it is not an integer."
		letters = "throws TypeError: Specified address is empty string, contains unsupported characters or is too long."
		parsed  = "throws TypeError: Specified address could not be parsed."
		noPort  = "throws TypeError: Specified address is missing port."
		nothing = "throws TypeError: Cannot initialize N7workerd3api13SocketAddressE with required members from " +
			"an undefined or null value."
		negative = "throws TypeError: The value cannot be converted because it is negative and this API expects " +
			"a positive number."
		range16 = "throws TypeError: Value out of range. Must be less than or equal to 65535."
	)
	r := newRunner(t)
	release := r.Clock.Hold("a test")
	defer release()
	for _, c := range [][2]string{
		{`{ hostname: "localhost" }`, integer}, {`{ hostname: "localhost", port: "x" }`, integer}, {`{}`, integer},
		{`{ hostname: "localhost", port: -1 }`, negative}, {`{ hostname: "localhost", port: Infinity }`, integer},
		{`{ hostname: "localhost", port: 65536 }`, range16},
		{`{ hostname: "localhost", port: 1.5 }`, socket}, {`{ hostname: "localhost", port: "1" }`, socket},
		{`{ hostname: "localhost", port: null }`, socket}, {`{ hostname: "local host", port: 1 }`, letters},
		{`{ hostname: "::1", port: 1 }`, socket}, {`{ hostname: "[::1]", port: 1 }`, socket},
		{`"localhost:0"`, socket}, {`"localhost:65536"`, parsed}, {`"localhost:x"`, parsed}, {`":80"`, parsed},
		{`""`, "throws TypeError: Specified address is missing hostname."}, {`"localhost"`, noPort},
		{`"[::1]:1"`, socket}, {`"::1:80"`, parsed}, {`"[::1"`, parsed}, {`"a b:80"`, parsed}, {`"a/b:80"`, noPort},
		{`5`, noPort}, {`null`, nothing}, {`undefined`, nothing}, {`"localhost:"`, noPort},
		{`"localhost:80:80"`, parsed}, {`"user@localhost:80"`, letters}, {`"http://localhost:80"`, noPort},
	} {
		r.Expect(`const s = sockets.connect(`+c[0]+`); s.opened.catch(() => {}); s.closed.catch(() => {});
			s.close().catch(() => {}); return "socket";`, c[1])
	}
}
