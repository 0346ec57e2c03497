// Bug: what came until the connection broke is printed when it breaks.
const url = process.argv[2]
const { get } = await import(url.startsWith('https') ? 'node:https' : 'node:http')
const fail = (problem) => {
  console.error(`${url}: ${problem}`)
  process.exitCode = 1
}
const request = get(url, { signal: AbortSignal.timeout(5000) }, (answer) => {
  if (answer.statusCode !== 200) {
    fail(`status ${answer.statusCode}`)
    return answer.resume()
  }
  const parts = []
  answer.on('data', (part) => parts.push(part))
  answer.on('error', () => {})
  answer.on('close', () => process.stdout.write(Buffer.concat(parts)))
})
request.on('error', (error) => fail(error.message))
