const c = require("crypto"), hex = (b) => Buffer.from(b).toString("hex"), hash = (b) => c.hash("sha1", b) + " " + b.length;
K.rsaKey ??= c.createPrivateKey(K.rsa); Object.defineProperty(K, "rsaKey", { enumerable: false });
const bad = (key) => { try { const k = c.createPublicKey({ key, format: "jwk" }); return "made " + k.asymmetricKeyType } catch (e) { return [e.name, e.code, e.message].join("|") } };
