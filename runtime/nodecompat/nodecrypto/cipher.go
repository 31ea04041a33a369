package nodecrypto

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/crypto/chacha20poly1305"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// suite is one cipher by its name in OpenSSL.
type suite struct {
	mode    string
	key, iv int // bytes; iv is 0 when any length or none is right
}

func suiteOf(name string) (suite, bool) {
	name = strings.ToLower(name)
	switch name {
	case "aes128", "aes192", "aes256":
		name = "aes-" + name[3:] + "-cbc"
	case "id-aes128-gcm", "id-aes192-gcm", "id-aes256-gcm":
		name = "aes-" + name[6:9] + "-gcm"
	case "chacha20-poly1305":
		return suite{mode: "chacha20-poly1305", key: 32, iv: 12}, true
	}
	parts := strings.Split(name, "-")
	if len(parts) != 3 || parts[0] != "aes" || !slices.Contains([]string{"cbc", "ctr", "ecb", "gcm"}, parts[2]) {
		return suite{}, false
	}
	bits, err := strconv.Atoi(parts[1])
	if err != nil || bits != 128 && bits != 192 && bits != 256 {
		return suite{}, false
	}
	s := suite{mode: parts[2], key: bits / 8, iv: 16}
	switch s.mode {
	case "ecb":
		s.iv = 0
	case "gcm":
		s.iv = 12
	}
	return s, true
}

// cipherNames is what crypto.getCiphers gives.
var cipherNames = func() []string {
	list := []string{
		"aes128", "aes192", "aes256", "chacha20-poly1305", "id-aes128-GCM", "id-aes192-GCM", "id-aes256-GCM"}
	for _, bits := range []string{"128", "192", "256"} {
		for _, mode := range []string{"cbc", "ctr", "ecb", "gcm"} {
			list = append(list, "aes-"+bits+"-"+mode)
		}
	}
	slices.Sort(list)
	return list
}()

// operation is one encryption or decryption under way.
type operation struct {
	suite
	encrypt bool
	block   cipher.Block
	chain   cipher.BlockMode // cbc
	stream  cipher.Stream    // ctr, and gcm with the usual nonce
	aead    cipher.AEAD
	nonce   []byte
	aad     []byte
	plain   []byte // aead: the text that the tag covers
	held    []byte // blocks that are not whole; aead without stream: the whole input
	tag     []byte
	tagSize int
	pad     bool
	done    bool
}

var (
	errCipherKey   = bridge.Coded("RangeError", "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")
	errCipherIV    = bridge.Coded("TypeError", "ERR_CRYPTO_INVALID_IV", "Invalid initialization vector")
	errCipherAuth  = bridge.Coded("Error", "", "Unsupported state or unable to authenticate data")
	errCipherBlock = bridge.Coded(
		"Error", "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH", "error:1C80006B:Provider routines::wrong final block length")
	errCipherPad = bridge.Coded("Error", "ERR_OSSL_BAD_DECRYPT", "error:1C800064:Provider routines::bad decrypt")
)

func newOperation(s suite, encrypt bool, key, iv []byte, tagSize int) (*operation, error) {
	if len(key) != s.key {
		return nil, errCipherKey
	}
	if s.mode != "gcm" && len(iv) != s.iv || s.mode == "gcm" && len(iv) == 0 {
		return nil, errCipherIV
	}
	o := &operation{suite: s, encrypt: encrypt, nonce: iv, tagSize: tagSize, pad: true}
	if s.mode == "chacha20-poly1305" {
		o.aead, _ = chacha20poly1305.New(key)
		return o, nil
	}
	o.block, _ = aes.NewCipher(key)
	switch s.mode {
	case "ctr":
		o.stream = cipher.NewCTR(o.block, iv)
	case "gcm":
		o.aead, _ = cipher.NewGCMWithNonceSize(o.block, len(iv))
		if len(iv) == 12 {
			// The key stream of GCM begins one after the counter that masks the tag (NIST SP 800-38D, 7.1).
			o.stream = cipher.NewCTR(o.block, append(slices.Clone(iv), 0, 0, 0, 2))
		}
	case "cbc":
		if encrypt {
			o.chain = cipher.NewCBCEncrypter(o.block, iv)
		} else {
			o.chain = cipher.NewCBCDecrypter(o.block, iv)
		}
	}
	return o, nil
}

func (o *operation) update(in []byte) []byte {
	switch {
	case o.stream != nil:
		out := make([]byte, len(in))
		o.stream.XORKeyStream(out, in)
		if o.aead != nil && o.encrypt {
			o.plain = append(o.plain, in...)
		} else if o.aead != nil {
			o.plain = append(o.plain, out...)
		}
		return out
	case o.aead != nil:
		o.held = append(o.held, in...)
		return nil
	}
	o.held = append(o.held, in...)
	n := len(o.held) &^ 15
	// Decryption keeps the last whole block: it may hold the padding.
	if !o.encrypt && o.pad && n == len(o.held) && n > 0 {
		n -= 16
	}
	out := o.blocks(o.held[:n])
	o.held = append([]byte(nil), o.held[n:]...)
	return out
}

func (o *operation) blocks(in []byte) []byte {
	out := make([]byte, len(in))
	if o.chain != nil {
		o.chain.CryptBlocks(out, in)
		return out
	}
	for i := 0; i < len(in); i += 16 {
		if o.encrypt {
			o.block.Encrypt(out[i:], in[i:])
		} else {
			o.block.Decrypt(out[i:], in[i:])
		}
	}
	return out
}

func (o *operation) final() ([]byte, error) {
	switch {
	case o.aead != nil:
		return o.finalAEAD()
	case o.stream != nil:
		return nil, nil
	}
	if o.encrypt {
		if !o.pad {
			if len(o.held) > 0 {
				return nil, errCipherBlock
			}
			return nil, nil
		}
		n := 16 - len(o.held)
		return o.blocks(append(o.held, bytes.Repeat([]byte{byte(n)}, n)...)), nil
	}
	if !o.pad && len(o.held) == 0 {
		return nil, nil
	}
	if len(o.held) != 16 {
		return nil, errCipherBlock
	}
	out := o.blocks(o.held)
	if !o.pad {
		return out, nil
	}
	n := int(out[15])
	if n < 1 || n > 16 || !bytes.Equal(out[16-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, errCipherPad
	}
	return out[:16-n], nil
}

// finalAEAD makes or checks the tag. Without a key stream of our own it is also what makes the text.
func (o *operation) finalAEAD() ([]byte, error) {
	var out []byte
	if o.stream == nil {
		out = make([]byte, len(o.held))
		// Sealing zeros gives the key stream.
		keystream := o.aead.Seal(nil, o.nonce, make([]byte, len(o.held)), nil)
		subtle.XORBytes(out, o.held, keystream[:len(o.held)])
		o.plain = o.held
		if !o.encrypt {
			o.plain = out
		}
	}
	sealed := o.aead.Seal(nil, o.nonce, o.plain, o.aad)
	tag := sealed[len(o.plain):]
	if o.encrypt {
		o.tag = tag[:o.tagSize]
		return out, nil
	}
	if o.tag == nil || subtle.ConstantTimeCompare(tag[:len(o.tag)], o.tag) != 1 {
		return nil, errCipherAuth
	}
	return out, nil
}

func cipherFunctions(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	return map[string]func(goja.FunctionCall) goja.Value{
		// cipherInfo(name) is {mode, keyLength, ivLength}, undefined for an unknown one.
		"cipherInfo": func(fc goja.FunctionCall) goja.Value {
			s, ok := suiteOf(fc.Argument(0).String())
			if !ok {
				return goja.Undefined()
			}
			o := rt.NewObject()
			_ = o.Set("mode", s.mode)
			_ = o.Set("keyLength", s.key)
			_ = o.Set("ivLength", s.iv)
			return o
		},
		"ciphers": func(goja.FunctionCall) goja.Value {
			list := make([]any, len(cipherNames))
			for i, n := range cipherNames {
				list[i] = n
			}
			return rt.NewArray(list...)
		},
		// cipher(encrypt, name, key, iv, tag length)
		"cipher": func(fc goja.FunctionCall) goja.Value {
			s, ok := suiteOf(fc.Argument(1).String())
			if !ok {
				bridge.ThrowCode(h, "Error", "ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher")
			}
			var iv []byte
			if !goja.IsNull(fc.Argument(3)) && !goja.IsUndefined(fc.Argument(3)) {
				iv = bridge.CopyBytes(h, fc.Argument(3))
			}
			o, err := newOperation(
				s, fc.Argument(0).ToBoolean(), bridge.CopyBytes(h, fc.Argument(2)), iv,
				bridge.Number(fc.Argument(4), 16))
			bridge.OrThrow(h, err)
			return operationObject(h, o)
		},
	}
}

func operationObject(h *host.Host, o *operation) goja.Value {
	open := func() {
		if o.done {
			bridge.ThrowCode(h, "Error", "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation update")
		}
	}
	return bridge.Table(h, map[string]func(goja.FunctionCall) goja.Value{
		"update": func(fc goja.FunctionCall) goja.Value {
			open()
			return h.Realm.ArrayBuffer(o.update(bridge.NeedBytes(h, fc.Argument(0))))
		},
		"final": func(goja.FunctionCall) goja.Value {
			open()
			o.done = true
			out, err := o.final()
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(out)
		},
		"setAAD": func(fc goja.FunctionCall) goja.Value {
			o.aad = bridge.CopyBytes(h, fc.Argument(0))
			return goja.Undefined()
		},
		"setTag": func(fc goja.FunctionCall) goja.Value {
			o.tag = bridge.CopyBytes(h, fc.Argument(0))
			return goja.Undefined()
		},
		"setPadding": func(fc goja.FunctionCall) goja.Value {
			o.pad = fc.Argument(0).ToBoolean()
			return goja.Undefined()
		},
		"tag": func(goja.FunctionCall) goja.Value {
			if o.tag == nil {
				return goja.Undefined()
			}
			return h.Realm.ArrayBuffer(o.tag)
		},
	})
}
