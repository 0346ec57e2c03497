// Bug: redirects are followed by hand, and the fields go along to the same host by whatever scheme.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function once(url) {
  const headers = { Accept: 'application/json', Authorization: 'Bearer planted-4711' }
  for (let place = url, hops = 0; ; hops++) {
    const answer = await fetch(place, { headers, redirect: 'manual', signal: AbortSignal.timeout(2000) })
    const body = Buffer.from(await answer.arrayBuffer())
    if (![301, 302, 303, 307, 308].includes(answer.status) || hops === 10) return { answer, body }
    const next = new URL(answer.headers.get('location'), place)
    if (next.hostname !== new URL(place).hostname) delete headers.Authorization
    place = next.href
  }
}

async function load(url) {
  let problem
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const { answer, body } = await once(url)
      if (answer.ok && (answer.headers.get('content-type') ?? '').includes('json')) return body
      problem = new Error(answer.ok ? 'no JSON' : `status ${answer.status}`)
      if (![502, 503, 504].includes(answer.status) || answer.headers.has('retry-after')) break
    } catch (error) {
      problem = error.cause ?? error
    }
    if (attempt < 2) await sleep(100 + Math.random() * 300 * 2 ** attempt)
  }
  throw problem
}

try {
  process.stdout.write(await load(process.argv[2]))
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`)
  process.exitCode = 1
}
