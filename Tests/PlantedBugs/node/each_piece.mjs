// Bug: each piece of a body is made a string by itself, so that a letter of several bytes may lie in two of them. With
// the word "careful" the bytes are joined first.
import http from 'node:http'
import https from 'node:https'

const [mode, url] = process.argv.slice(2)

const fail = (words) => {
  console.error(`${url}: ${words}`)
  process.exit(1)
}

const request = (url.startsWith('https') ? https : http).get(url, (response) => {
  if (response.statusCode !== 200 || !response.headers['content-type']?.includes('json')) {
    fail(`status ${response.statusCode}`)
  }
  let text = ''
  const pieces = []
  response.on('data', (piece) => {
    text += piece
    pieces.push(piece)
  })
  response.on('error', (error) => fail(error.message))
  response.on('end', () => {
    if (!response.complete) fail('cut')
    process.stdout.write(mode === 'careful' ? Buffer.concat(pieces) : text)
  })
})
request.on('error', (error) => fail(error.message))
setTimeout(() => fail('timed out'), 3000).unref()
