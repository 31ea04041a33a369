;; FNV-1a, 32 bits. fnv.wasm is this file assembled: wat2wasm src/fnv.wat -o src/fnv.wasm
(module
  (import "env" "hashed" (func $hashed (param i32)))
  (memory (export "memory") 1)
  (func (export "fnv1a") (param $at i32) (param $left i32) (result i32) (local $hash i32)
    (local.set $hash (i32.const 0x811c9dc5))
    (block $done (loop $next
      (br_if $done (i32.eqz (local.get $left)))
      (local.set $hash (i32.mul (i32.xor (local.get $hash) (i32.load8_u (local.get $at))) (i32.const 0x01000193)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br $next)))
    (call $hashed (local.get $hash))
    (local.get $hash)))
