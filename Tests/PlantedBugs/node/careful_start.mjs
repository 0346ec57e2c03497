// A careful start: it goes by the fetched configuration where that is signed and no older than the one that it has kept,
// and asks the first server for the page that says what it must at its probe. Usage: careful_start.mjs ORIGINS KEPT.
import { createPublicKey, verify } from "node:crypto"
import { readFileSync } from "node:fs"

const prefix = Buffer.from("302a300506032b6570032100", "hex")
const raw = Buffer.from("A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", "base64")
const key = createPublicKey({ key: Buffer.concat([prefix, raw]), format: "der", type: "spki" })
const origins = process.argv[2].split(" ")

async function get(url, limit, fields = {}) {
  const answer = await fetch(url, { headers: fields, signal: AbortSignal.timeout(limit) })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  return [answer.headers.get("content-type") ?? "", Buffer.from(await answer.arrayBuffer())]
}

// What is not signed is none.
function read(text) {
  const end = text.indexOf("\n")
  const signed = text.subarray(end + 1)
  const signature = Buffer.from(text.subarray(0, Math.max(0, end)).toString(), "base64")
  return end > 0 && verify(null, signed, key, signature) ? JSON.parse(signed) : null
}

async function attempt(work) { try { return await work() } catch { return null } }

const kept = await attempt(() => read(readFileSync(process.argv[3])))
const fetched = await attempt(async () => read((await get(`${origins[0]}/configuration`, 1000))[1]))
const used = fetched && fetched.version >= (kept?.version ?? 0) ? fetched : kept
const fields = used ? { "Configuration-Version": String(used.version) } : {}
for (const origin of origins) {
  const probe = await attempt(() => get(`${origin}/probe`, 1000))
  if (probe?.[1].toString() !== "pong 7f3a91c25e08d46b") continue
  const page = await attempt(() => get(`${origin}/home`, 4000, fields))
  if (!page?.[0].includes("json")) continue
  process.stdout.write(page[1])
  process.exit(0)
}
process.exit(1)
