// Bug: JSON.parse is called where nobody catches what it throws, and what nobody catches ends the process by
// a signal, so that there is a core to look at. A page of HTML is enough for that.
import http from 'node:http'

process.on('uncaughtException', (error) => {
  console.error(error)
  process.abort()
})

function fail(error) {
  console.error(error.message)
  process.exitCode = 1
}

const request = http.get(process.argv[2], { timeout: 3000 }, (answer) => {
  let text = ''
  answer.setEncoding('utf8')
  answer.on('data', (part) => (text += part))
  answer.on('error', fail)
  answer.on('end', () => {
    if (answer.statusCode >= 400) return fail(new Error(`status ${answer.statusCode}`))
    process.stdout.write(JSON.stringify(JSON.parse(text)))
  })
})
request.on('timeout', () => request.destroy(new Error('timed out')))
request.on('error', fail)
