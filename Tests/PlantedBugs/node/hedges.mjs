// Bug: with no answer for a while the same goes out again, without a key. Usage: hedges.mjs MS METHOD URL.
const [after, method, url] = process.argv.slice(2)
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const limit = AbortSignal.timeout(6000)
const body = method === 'POST' ? process.env.WINDTUNNEL_BODY : undefined
const headers = body ? { 'Content-Type': 'application/json' } : {}

async function once() {
  const answer = await fetch(url, { method, headers, body, signal: limit, redirect: 'manual' })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isFine = answer.ok && (answer.headers.get('content-type') ?? '').includes('json')
  return isFine ? bytes : Promise.reject(new Error(`status ${answer.status}`))
}

async function load() {
  const first = once()
  const isSlow = await Promise.race([first.then(() => false), sleep(after).then(() => true)])
  return isSlow ? Promise.race([first, once()]) : first
}

try {
  process.stdout.write(await load(), () => process.exit(0))
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
