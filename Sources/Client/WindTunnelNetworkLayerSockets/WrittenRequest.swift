internal import Foundation
internal import WindTunnelHTTP
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelWire

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A request of an app as it goes over a socket, and the one that follows it where it is redirected
/// (RFC 9110 §15.4).
struct WrittenRequest {
  private var url: URL
  private var method: String
  private var fields: HeaderFields
  private var body: Data
  private var file: URL?
  private let seconds: Double

  /// Makes one of an app's request.
  ///
  /// - Throws: ``TransportError`` of a request that cannot be sent, with the reason in a sentence.
  init(_ request: URLRequest, _ upload: Upload) throws(TransportError) {
    guard let url = request.url else { throw .failed(.badURL, text: "The request has no URL.") }
    let method = request.httpMethod ?? "GET"
    guard method.isHTTPToken else {
      throw .failed(.unknown, text: "The method is no token (RFC 9110 §9.1).")
    }
    guard request.httpBodyStream == nil else {
      throw .failed(
        .unknown,
        text: "A body as a stream is not sent over sockets; give it as data or as a file."
      )
    }
    var fields = HeaderFields()
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard name.isHTTPToken else {
        throw .failed(.unknown, text: "The name of a header field is no token (RFC 9110 §5.1).")
      }
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw .failed(
          .unknown,
          text: "The header field \(name) holds a control character (RFC 9110 §5.5)."
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
    // What is no time to wait is the default of a request (`URLRequest.timeoutInterval`).
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

  /// The fields that are for the host alone that they were given to.
  private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]

  /// Returns the request by which an answer is followed; `nil` where the answer leads nowhere: it
  /// has another status, or no `Location` that is by `http` or `https`.
  func redirected(by head: ResponseHead) throws(TransportError) -> WrittenRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status), let location = head.headers["Location"],
      let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let scheme = next.scheme?.lowercased(), ["http", "https"].contains(scheme)
    else { return nil }
    var step = self
    step.url = next
    // RFC 9110 §15.4.2–4: a POST may become a GET, and 303 makes one of everything; what keeps its
    // method keeps its content.
    if head.status == 303 || method == "POST" && [301, 302].contains(head.status) {
      if method != "HEAD" { step.method = "GET" }
      step.fields.remove("Content-Type")
      (step.body, step.file) = (Data(), nil)
    }
    let isElsewhere = next.host?.lowercased() != url.host?.lowercased()
    let isInClear = url.scheme?.lowercased() == "https" && scheme != "https"
    if isElsewhere || isInClear { for name in Self.credentials { step.fields.remove(name) } }
    // It names the server that was asked before.
    step.fields.remove("Host")
    return step
  }
}
