enum CassetteExplainCommand: Command {
  static let name = "cassette explain"
  static let summary = "Show the recording that matches a request, or the reason why none matches."
  static let synopsis = "--cassette FILE …"
  static let example =
    "windtunnel cassette explain --cassette Cassettes/examples/shop.json --request 'GET /home'"
  static let flags = [
    Flag("--cassette", "FILE", "The cassette with the recordings."),
    Flag("--request", "REQUEST", "The request, such as 'GET /users?page=2'."),
    Flag("--header", "FIELD", "A header field, such as 'Accept: text/html'. May be repeated."),
    Flag("--body", "FILE", "The file with the body."),
    MatchFlag.flag("method, path and query"),
    Flag("--json", nil, "Print the result as JSON."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.required("--cassette", "the file with the recordings")
    let request = try request(arguments)
    let matcher = try MatchFlag.matcher(arguments, over: .pathAndQuery)
    let cassette = try CassetteFile.read(path)
    let explanation = Explanation(request, cassette, matcher: matcher)
    arguments.answer("\(explanation)\n", json: explanation.json.fileBytes())
    return explanation.mismatch == nil ? .done : .found
  }

  private static func request(_ arguments: Arguments) throws -> Request {
    let text = try arguments.required("--request", "a request, such as 'GET /users?page=2'")
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, words[0].isHTTPToken, !words[1].contains(" ") else {
      throw CommandError.value("--request", text, shouldBe: "a method and a URL")
    }
    var request = Request(words[0], RequestURL(words[1].asHead))
    for field in arguments.all("--header") {
      let parts = field.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, String(parts[0]).isHTTPToken else {
        throw CommandError.value("--header", field, shouldBe: "a name, a colon and a value")
      }
      request.headers.append(String(parts[0]), String(parts[1].trimmingOptionalWhitespace()))
    }
    if let file = try arguments.value("--body") {
      let data = try FileError.reading(URL(typed: file), bytesMax: Cassette.fileBytesMax)
      request.body = Body(data)
    }
    return request
  }
}
