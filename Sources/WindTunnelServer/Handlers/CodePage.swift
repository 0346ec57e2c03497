internal import Foundation
internal import WindTunnel

/// The answer of a proxy to a peer that has not given its code.
///
/// A person types the code into a page, and from then on the whole device is served: a phone's settings
/// have no place for it, or programs that do not use them. A program gives it as the proxy's password.
struct CodePage {
  let response: Response

  /// Makes the answer to a request that is not served without the code.
  ///
  /// - Parameters:
  ///   - verdict: The result of the code that was given.
  ///   - isOwnPage: True where the proxy's own page was asked for, which needs no password.
  init(after verdict: PeerAuthorizer.Verdict, isOwnPage: Bool) {
    if verdict == .right {
      response = .seeOther("/")
    } else if verdict == .closed || verdict == .last {
      response = .page(Self.closed, status: 403)
    } else if isOwnPage {
      response = .page(Self.form(verdict, at: ""), status: verdict == .wrong ? 403 : 200)
    } else {
      // Whole, since the page is shown as another's.
      let form = Self.form(verdict, at: "http://\(Proxying.host)")
      var answer = Response.page(form, status: 407)
      answer.head.headers["Proxy-Authenticate"] =
        "Basic realm=\"WindTunnel: any name, and as password the code that the proxy shows\""
      response = answer
    }
  }

  private static func form(_ verdict: PeerAuthorizer.Verdict, at place: String) -> String {
    let again = verdict == .wrong ? "<p><strong>That was not the code.</strong></p>" : ""
    return """
      <h1>The wind tunnel asks for its code</h1>
      \(again)
      <form method="post" action="\(place)\(Proxying.codePath)">
      <p><label>The code that the proxy shows at its terminal:<br>
      <input name="code" inputmode="numeric" autocomplete="off" autofocus></label>
      <button>Fly</button></p>
      </form>
      <p>This device is served from then on, until the proxy ends.</p>
      """
  }

  private static let closed = """
    <h1>No code is taken any more</h1>
    <p>Too many wrong ones were given. Whoever runs the proxy can start it again for a new code, or with
    --client and the address of this device.</p>
    """
}

/// The code as a request gives it.
enum GivenCode {
  /// A form with more in it than a code is not read.
  static let formBytesMax = 256

  /// Reads `Proxy-Authorization: Basic`, whose password it is (RFC 9110 §11.7.2, RFC 7617 §2); `nil`
  /// where there is none.
  static func inCredentials(_ headers: HeaderFields) -> String? {
    guard let field = headers["Proxy-Authorization"] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let data = Data(base64Encoded: String(parts[1].trimmingOptionalWhitespace()))
    else { return nil }
    let pair = String(decoding: data, as: UTF8.self)
    return pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
  }

  /// Reads the form of ``CodePage``.
  static func inForm(_ body: Data) -> String {
    let pairs = String(decoding: body, as: UTF8.self).split(separator: "&")
    let value = pairs.first { $0.hasPrefix("code=") }?.dropFirst(5) ?? ""
    let text = String(value.replacing("+", with: " "))
    return text.removingPercentEncoding ?? text
  }
}
