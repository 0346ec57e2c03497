internal import Foundation
internal import WindTunnelHTTP
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelWire

/// An app's request in the form for a socket, and the request that follows a redirect (RFC 9110
/// §15.4).
struct WrittenRequest {
  private var url: URL
  private var method: String
  private var fields: HeaderFields
  private var body: Data
  private var file: URL?
  private let seconds: Double

  /// Creates a socket's request from an app's request.
  ///
  /// - Throws: ``TransportError`` with the reason, if the request cannot be sent.
  init(_ request: URLRequest, _ upload: Upload) throws(TransportError) {
    guard let url = request.url else { throw .failed(.badURL, text: "The request has no URL.") }
    let method = request.httpMethod ?? "GET"
    guard method.isHTTPToken else {
      throw .failed(.unknown, text: "The method is invalid (RFC 9110 §9.1).")
    }
    guard request.httpBodyStream == nil else {
      throw .failed(
        .unknown,
        text: "A stream cannot be sent over sockets; pass the body as data or as a file."
      )
    }
    var fields = HeaderFields()
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard name.isHTTPToken else {
        throw .failed(.unknown, text: "A header field name is not a token (RFC 9110 §5.1).")
      }
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw .failed(
          .unknown,
          text: "The header field \(name) contains a control character (RFC 9110 §5.5)."
        )
      }
      fields.append(name, value)
    }
    if fields["Accept"] == nil { fields.append("Accept", "*/*") }
    if fields["Accept-Encoding"] == nil, Inflate.isThere {
      fields.append("Accept-Encoding", "gzip, deflate")
    }
    (self.url, self.method, self.fields) = (url, method, fields)
    body = upload.file == nil ? request.httpBody ?? Data() : Data()
    file = upload.file
    // An invalid time-out is replaced by the default (`URLRequest.timeoutInterval`).
    seconds = request.timeoutInterval > 0 ? request.timeoutInterval : 60
  }

  /// Returns the request for a socket, with its file opened.
  func question() throws(TransportError) -> HTTPClient.Question {
    let request = Request(method, RequestURL(url.absoluteString), headers: fields, body: Body(body))
    guard let file else { return HTTPClient.Question(request, silenceSeconds: seconds) }
    do {
      let handle = try FileHandle(forReadingFrom: file)
      let bytes = try handle.seekToEnd()
      return HTTPClient.Question(
        request,
        file: (handle, Int(clamping: bytes)),
        silenceSeconds: seconds
      )
    } catch {
      throw .file("\(file.lastPathComponent) cannot be read: \(error.localizedDescription)")
    }
  }

  /// The header fields that are intended for the original host alone.
  private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]

  /// Returns the request that follows a redirect; `nil` if the response is no redirect.
  ///
  /// That is the case for other statuses, or without a `Location` with `http` or `https`.
  func redirected(by head: ResponseHead) throws(TransportError) -> WrittenRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status), let location = head.headers["Location"],
      let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let scheme = next.scheme?.lowercased(), ["http", "https"].contains(scheme)
    else { return nil }
    var step = self
    step.url = next
    // RFC 9110 §15.4.2–4: a POST may become a GET, and a 303 changes any method to GET. A request
    // that keeps its method keeps its content.
    if head.status == 303 || method == "POST" && [301, 302].contains(head.status) {
      if method != "HEAD" { step.method = "GET" }
      step.fields.remove("Content-Type")
      (step.body, step.file) = (Data(), nil)
    }
    let isElsewhere = next.host?.lowercased() != url.host?.lowercased()
    let isInClear = url.scheme?.lowercased() == "https" && scheme != "https"
    if isElsewhere || isInClear { for name in Self.credentials { step.fields.remove(name) } }
    // The field names the previous server.
    step.fields.remove("Host")
    return step
  }
}
