import { SignJWT, errors, exportSPKI, generateKeyPair, importSPKI, jwtVerify } from "jose";

export default {
  async fetch() {
    const secret = new TextEncoder().encode("a secret that is long enough for HS256");
    const sign = (exp) => new SignJWT({}).setProtectedHeader({ alg: "HS256" }).setSubject("ann").setExpirationTime(exp).sign(secret);
    const { payload, protectedHeader } = await jwtVerify(await sign("1h"), secret);
    let expired;
    try {
      await jwtVerify(await sign(1), secret);
    } catch (e) {
      expired = e instanceof errors.JWTExpired ? e.code : String(e);
    }
    const pair = await generateKeyPair("RS256", { extractable: true });
    const token = await new SignJWT({ text: "signed by RSA" }).setProtectedHeader({ alg: "RS256" }).sign(pair.privateKey);
    const rsa = await jwtVerify(token, await importSPKI(await exportSPKI(pair.publicKey), "RS256"));
    return Response.json({ sub: payload.sub, alg: protectedHeader.alg, expired, rsa: rsa.payload.text });
  },
};
