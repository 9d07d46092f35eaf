/** Certificates that sign for themselves, made for a test: Node reads them, and makes none. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const text = (tag: number, value: string) => der(tag, Buffer.from(value))
/** sha256WithRSAEncryption */
const algorithm = sequence(der(0x06, Buffer.from("2a864886f70d01010b", "hex")), der(0x05))
/** A common name. */
const nameOf = (name: string) =>
  sequence(der(0x31, sequence(der(0x06, Buffer.from("550403", "hex")), text(0x0c, name))))

export interface Certificate {
  readonly key: KeyObject
  readonly pem: string
}

/** `from`, `to`: years in which it is valid, from the first of January. */
export const makeCertificate = (name: string, from = 2020, to = 2049): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const validity = sequence(...[from, to].map((year) => text(0x17, `${String(year).slice(2)}0101000000Z`)))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    nameOf(name),
    validity,
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" })
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey))
  const base64 = sequence(body, algorithm, signature)
    .toString("base64")
    .replace(/(.{64})/g, "$1\n")
  return { key: privateKey, pem: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n` }
}
