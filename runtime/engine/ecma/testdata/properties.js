// Lists every built-in: owner.key, type, length, attributes (writable, enumerable, configurable).
(function () {
const out=[];const add=(p,o)=>{ if(o===undefined||o===null){
	out.push(p+' MISSING');return} for(const k of Reflect.ownKeys(o)){
	const d=Object.getOwnPropertyDescriptor(o,k); const f=d.value!==undefined?d.value:d.get;
	out.push(p+'.'+String(k)+' '+(d.get||d.set?'accessor':typeof d.value)+' '+
	(typeof d.value==='function'?d.value.length:'')+' '+(d.writable?'w':'-')+(d.enumerable?'e':'-')+
	(d.configurable?'c':'-')) } }; for(const n of [
	"Object","Function","Array","String","Number","Boolean","Symbol","Math","JSON","Promise","Proxy","Reflect","Map",
	"Set","WeakMap","WeakSet","WeakRef","FinalizationRegistry","ArrayBuffer","SharedArrayBuffer","Atomics","DataView",
	"Date","RegExp","Error","AggregateError","SuppressedError","DisposableStack","AsyncDisposableStack","Iterator",
	"BigInt","Int8Array","Uint8Array","Uint8ClampedArray","Int16Array","Uint16Array","Int32Array","Uint32Array",
	"Float16Array","Float32Array","Float64Array","BigInt64Array","BigUint64Array","Intl"]){
	add(n,globalThis[n]); if(globalThis[n]&&globalThis[n].prototype) add(
	n+'.prototype',globalThis[n].prototype) } const TA=Object.getPrototypeOf(Int8Array); add('TypedArray',TA);
	add('TypedArray.prototype',TA.prototype);
	add('Generator.prototype',Object.getPrototypeOf(Object.getPrototypeOf((function*(){})())));
	add('IteratorPrototype',Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))); 
return out.join("\n");
})()
