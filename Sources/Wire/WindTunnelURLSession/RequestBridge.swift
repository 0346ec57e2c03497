internal import Foundation
internal import WindTunnel

/// The conversion of a `URLRequest` to a request of WindTunnel.
enum RequestBridge {
  /// The maximum size of a streamed body in bytes. A longer body fails the task.
  private static let streamedBodyBytesMax = 256 << 20

  /// Returns a request as the server would receive it, including the configuration's header fields.
  ///
  /// A request's own fields override the configuration's.
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

  /// Finds the body and calls back on the task's queue.
  ///
  /// The body is `httpBody`, or else the stream, or else the body of an upload task.
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

/// The target of a redirect, and the parts of its request that are kept (RFC 9110 §15.4).
struct RedirectTarget {
  let url: URL
  let method: String
  /// Whether method and body are kept.
  let keepsBody: Bool
  /// The header fields that are dropped.
  let dropped: [String]

  /// Creates the target; `nil` if the status is no redirect or there is no usable `Location`.
  ///
  /// The response is then final.
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
    // Credentials are intended for the original host only.
    dropped =
      ["Cookie"] + (keepsBody ? [] : ["Content-Type", "Content-Length"])
      + (url.host == base.host ? [] : ["Authorization"])
  }
}

/// The request that follows a redirect.
struct Redirect {
  var request: URLRequest
  /// Whether method and body are kept.
  var keepsBody: Bool

  /// Creates the request; `nil` if the response is no redirect.
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

  /// Stores a response's cookies, as the platform does only for its own protocol.
  func storeCookies(_ values: [String], at url: URL) {
    guard let cookies else { return }
    for value in values {
      let parsed = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
      cookies.setCookies(parsed, for: url, mainDocumentURL: nil)
    }
  }

  /// Adds the stored cookies to a request that the platform has not created.
  func addCookies(to request: inout URLRequest) {
    guard let url = request.url, let stored = cookies?.cookies(for: url), !stored.isEmpty else {
      return
    }
    for (name, value) in HTTPCookie.requestHeaderFields(with: stored) {
      request.setValue(value, forHTTPHeaderField: name)
    }
  }
}
