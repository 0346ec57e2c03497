// Bug: each request goes out twice at the same time, without a key, and the first answer counts; careful: with one
// key for both. Usage: races.mjs [careful] METHOD URL.
import { randomUUID } from 'node:crypto'

const [method, url] = process.argv.slice(-2)
const body = method === 'POST' ? process.env.WINDTUNNEL_BODY : undefined
const headers = body ? { 'Content-Type': 'application/json' } : {}
if (body && process.argv.includes('careful')) headers['Idempotency-Key'] = randomUUID()
const limit = AbortSignal.timeout(6000)

async function once() {
  const own = { ...headers, 'X-Request-Id': randomUUID() }
  const answer = await fetch(url, { method, headers: own, body, signal: limit, redirect: 'manual' })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isFine = answer.ok && (answer.headers.get('content-type') ?? '').includes('json')
  return isFine ? bytes : Promise.reject(new Error(`status ${answer.status}`))
}

try {
  process.stdout.write(await Promise.any([once(), once()]), () => process.exit(0))
} catch (error) {
  console.error(error.errors?.[0]?.message ?? error.message)
  process.exit(1)
}
