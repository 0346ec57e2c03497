// A client that lives, with one connection. The bug: a request that times out does not give its place back.
// With the word `careful` it does.
import { createInterface } from 'node:readline'

let free = 1
const careful = process.argv.includes('careful')

async function call({ method, url, headers, body }) {
  if (free === 0) return { ok: false, error: 'no connection is free', attempts: 0 }
  free -= 1
  let isOver = true
  try {
    const got = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(3000) })
    const shown = await got.text()
    const isJSON = (got.headers.get('content-type') ?? '').includes('json')
    return { ok: got.ok && isJSON, status: got.status, shown }
  } catch (error) {
    isOver = careful || error.name !== 'TimeoutError'
    return { ok: false, error: String(error.cause ?? error) }
  } finally {
    if (isOver) free += 1
  }
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  if (line.url) console.log(JSON.stringify({ call: line.call, ...(await call(line)) }))
}
