// Bug: what came until the connection broke is printed when it breaks.
import http from 'node:http'
http.get(process.argv[2], { timeout: 5000 }, (answer) => {
  const parts = []
  answer.on('data', (part) => parts.push(part))
  answer.on('error', () => {})
  answer.on('close', () => process.stdout.write(Buffer.concat(parts)))
})
