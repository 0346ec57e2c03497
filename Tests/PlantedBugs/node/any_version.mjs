// Bug: a configuration that is signed is a good one, however old it is: what was withdrawn comes back with whoever has a
// copy of it.
import { createPublicKey, verify } from "node:crypto"
import { readFileSync } from "node:fs"

const prefix = Buffer.from("302a300506032b6570032100", "hex")
const raw = Buffer.from("A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", "base64")
const key = createPublicKey({ key: Buffer.concat([prefix, raw]), format: "der", type: "spki" })
const origin = process.argv[2].split(" ")[0]

async function get(url, limit, fields = {}) {
  const answer = await fetch(url, { headers: fields, signal: AbortSignal.timeout(limit) })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

function read(text) {
  const end = text.indexOf("\n")
  const signed = text.subarray(end + 1)
  const signature = Buffer.from(text.subarray(0, Math.max(0, end)).toString(), "base64")
  return end > 0 && verify(null, signed, key, signature) ? JSON.parse(signed) : null
}

async function attempt(work) { try { return await work() } catch { return null } }

const fetched = await attempt(async () => read(await get(`${origin}/configuration`, 1000)))
const used = fetched ?? (await attempt(() => read(readFileSync(process.argv[3]))))
const fields = used ? { "Configuration-Version": String(used.version) } : {}
process.stdout.write(await get(`${origin}/home`, 4000, fields))
