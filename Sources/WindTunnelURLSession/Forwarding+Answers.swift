internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension HeaderFields {
  /// The fields as far as the platform tells them: without order, repeats joined. Only cookies are
  /// taken apart again, since joined ones are none (RFC 6265 §3).
  init(of response: HTTPURLResponse) {
    let fields = response.allHeaderFields.map { HeaderField("\($0.key)", "\($0.value)") }
      .sorted { $0.name < $1.name }
    self.init(
      fields.flatMap { field in
        guard field.isNamed("Set-Cookie") else { return [field] }
        return JoinedCookies.parts(of: field.value).map { HeaderField(field.name, $0) }
      }
    )
  }
}

extension HeaderFields {
  /// The names of those that may have been several: a comma stands in them, and in no date
  /// (RFC 9110 §5.6.7) and in no cookie, which are taken apart.
  var perhapsJoined: [String] {
    let single = ["Date", "Expires", "Last-Modified", "Retry-After", "Set-Cookie"]
    return filter { field in
      field.value.contains(",") && !single.contains { field.isNamed($0) }
    }.map(\.name)
  }
}

extension Response {
  /// An answer as a URL loading system hands it out: the content coding is undone while the fields
  /// still speak of it. What is kept says what the bytes are.
  init(decoded head: ResponseHead, body: Body) {
    var head = head
    let coding = head.headers["Content-Encoding"]?.lowercased() ?? "identity"
    if coding != "identity" {
      head.headers.remove("Content-Encoding")
      if head.headers["Content-Length"] != nil {
        head.headers["Content-Length"] = String(body.data.count)
      }
    }
    head.headers.remove("Transfer-Encoding")
    self.init(status: head.status, headers: head.headers, body: body)
  }
}
