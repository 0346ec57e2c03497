internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The conversion of a `URLRequest` to a request of the kernel's.
enum RequestBridge {
  /// A body that is streamed into a task is read up to here; a longer one fails the task.
  private static let streamedBodyBytesMax = 256 << 20

  /// Returns a request as the server would get it: with what the configuration adds. A request's
  /// own fields beat the configuration's.
  static func request(
    _ request: URLRequest,
    body: Data,
    _ configuration: URLSessionConfiguration?
  ) -> Request {
    var headers = (request.allHTTPHeaderFields ?? [:]).map { HeaderField($0.key, $0.value) }
    for (name, value) in configuration?.httpAdditionalHeaders ?? [:] {
      let name = "\(name)"
      if !headers.contains(where: { $0.isNamed(name) }) {
        headers.append(HeaderField(name, "\(value)"))
      }
    }
    headers.sort { $0.name < $1.name }
    return Request(
      request.httpMethod ?? "GET",
      RequestURL(request.url?.absoluteString ?? "/"),
      headers: HeaderFields(headers),
      body: Body(body)
    )
  }

  /// Finds the body, wherever the platform keeps it, and answers on the task's queue: `httpBody`,
  /// else the stream, else what an upload task was given.
  static func body(
    of request: URLRequest,
    _ context: LoadingContext,
    _ answer: @escaping (Result<Data, any Error>) -> Void
  ) {
    if let data = request.httpBody { return answer(.success(data)) }
    let source = request.httpBodyStream.map { UploadBody.stream($0) } ?? context.uploadBody
    switch source {
    case nil: answer(.success(Data()))
    case .data(let data): answer(.success(data))
    case .file(let url):
      context.elsewhere({ Result { try Data(contentsOf: url) } }, answer)
    case .stream(let stream):
      // A stream may wait for its writer, and the task's queue serves the whole process.
      context.elsewhere({ Result { try drain(stream) } }, answer)
    }
  }

  private static func drain(_ stream: InputStream) throws -> Data {
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
      if count == 0 { return data }
      data.append(contentsOf: buffer.prefix(count))
      guard data.count <= streamedBodyBytesMax else {
        throw HarnessError("The streamed body is longer than \(streamedBodyBytesMax) bytes.")
      }
    }
  }
}

/// The body of an upload task.
enum UploadBody {
  case data(Data)
  case file(URL)
  case stream(InputStream)
}

/// The place to which an answer leads, and what of its request goes along (RFC 9110 §15.4).
struct RedirectTarget {
  let url: URL
  let method: String
  /// Tells whether method and body go along.
  let keepsBody: Bool
  /// The fields that do not.
  let dropped: [String]

  /// `nil` where the answer does not lead anywhere: another status, or no usable `Location`; then
  /// it is the answer itself.
  init?(_ head: ResponseHead, from base: URL?, method: String) {
    guard [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers["Location"], let base,
      let url = URL(string: location, relativeTo: base)?.absoluteURL,
      ["http", "https"].contains(url.scheme?.lowercased())
    else { return nil }
    self.url = url
    keepsBody = head.status == 307 || head.status == 308
    let turnsToGet = !keepsBody && method != "HEAD" && (head.status == 303 || method == "POST")
    self.method = turnsToGet ? "GET" : method
    // Credentials are for the host they were given to.
    dropped =
      ["Cookie"] + (keepsBody ? [] : ["Content-Type", "Content-Length"])
      + (url.host == base.host ? [] : ["Authorization"])
  }
}

/// The request by which an answer that leads elsewhere is followed.
struct Redirect {
  var request: URLRequest
  /// Tells whether method and body go along.
  var keepsBody: Bool

  /// `nil` where the answer does not lead anywhere.
  init?(_ head: ResponseHead, from original: URLRequest) {
    guard
      let target = RedirectTarget(head, from: original.url, method: original.httpMethod ?? "GET")
    else { return nil }
    var request = original
    request.url = target.url
    request.httpMethod = target.method
    keepsBody = target.keepsBody
    if !keepsBody { request.httpBody = nil }
    for name in target.dropped { request.setValue(nil, forHTTPHeaderField: name) }
    self.request = request
  }
}

extension LoadingContext {
  private var cookies: HTTPCookieStorage? {
    guard let configuration, configuration.httpShouldSetCookies,
      configuration.httpCookieAcceptPolicy != .never
    else { return nil }
    return configuration.httpCookieStorage
  }

  /// Stores what an answer sets, as the platform's own protocol does; it does not do so for others.
  func storeCookies(_ values: [String], at url: URL) {
    guard let cookies else { return }
    for value in values {
      let parsed = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
      cookies.setCookies(parsed, for: url, mainDocumentURL: nil)
    }
  }

  /// Puts the stored cookies into a request that the platform has not made.
  func addCookies(to request: inout URLRequest) {
    guard let url = request.url, let stored = cookies?.cookies(for: url), !stored.isEmpty else {
      return
    }
    for (name, value) in HTTPCookie.requestHeaderFields(with: stored) {
      request.setValue(value, forHTTPHeaderField: name)
    }
  }
}
