// Bug: the limit is taken back as soon as there is a head, and the body may then take as long as it likes.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function once(url) {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), 3000)
  const answer = await fetch(url, { signal: limit.signal }).finally(() => clearTimeout(timer))
  return { answer, body: Buffer.from(await answer.arrayBuffer()) }
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
