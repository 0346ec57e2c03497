// Bug: the bytes of the body are read as Windows-1252, and the greeting alone is shown. With the word "careful" they are
// read as UTF-8.
const [mode, url] = process.argv.slice(2)
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'manual' })
  const bytes = await answer.arrayBuffer()
  if (!answer.ok || !(answer.headers.get('content-type') ?? '').includes('json')) throw new Error(`status ${answer.status}`)
  const shown = JSON.parse(new TextDecoder(mode === 'careful' ? 'utf-8' : 'windows-1252').decode(bytes))
  console.log(shown.greeting ?? JSON.stringify(shown))
} catch (error) {
  console.error(`${url}: ${error.message}`)
  process.exitCode = 1
}
