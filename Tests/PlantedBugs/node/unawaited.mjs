// Bug: an `await` is missing before sleep. The pauses are worked out, begun and waited for by nobody, so the
// attempts follow each other at once. What fetch takes to get going could be taken for a pause: it uses http.
const url = process.argv[2]
const { get } = await import(url.startsWith('https') ? 'node:https' : 'node:http')
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

const once = () =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(2000) }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => resolve({ answer, body: Buffer.concat(parts) }))
    })
    request.on('error', reject)
  })

async function load() {
  let problem
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const { answer, body } = await once()
      if (answer.statusCode === 200) return body
      problem = new Error(`status ${answer.statusCode}`)
      if (![502, 503, 504].includes(answer.statusCode) || answer.headers['retry-after']) break
    } catch (error) {
      problem = error
    }
    if (attempt < 4) sleep(100 + Math.random() * 300 * 2 ** attempt)
  }
  throw problem
}

try {
  process.stdout.write(await load())
} catch (error) {
  console.error(`${url}: ${error.message}`)
  process.exitCode = 1
}
