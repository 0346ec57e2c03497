internal import Foundation
internal import WindTunnel

/// The proxy's page about itself at `http://wind.tunnel/`.
struct ProxyPage {
  let response: Response

  /// Creates the response to a request for a page.
  ///
  /// - Parameters:
  ///   - path: The path of the page.
  ///   - proxy: The proxy's settings.
  ///   - deck: The deck, whose scenario the page displays.
  ///   - console: The URL of the console; `nil` if there is none that devices may open.
  ///   - address: The proxy's own address that the client used; `nil` if the client used the proxy
  ///     as a proxy.
  init(
    _ path: String,
    _ proxy: Proxying,
    _ deck: Deck,
    console: String?,
    calledBy address: String? = nil
  ) {
    switch (path, proxy.authority) {
    case ("/", let authority):
      let page =
        address.map { Self.instructions(for: $0, opensTunnels: authority != nil) }
        ?? Self.body(deck.scenario, opensTunnels: authority != nil)
      response = .page(page + Self.console(at: console))
    case (Proxying.pictureHostPath, _):
      response = Response(
        headers: ["Content-Type": "image/svg+xml", "Cache-Control": "no-store"],
        body: Body(Self.picture)
      )
    // The code was already accepted, so the client is redirected.
    case (Proxying.codePath, _): response = .seeOther("/")
    case ("/ca.pem", let authority?), ("/ca.cer", let authority?):
      // The type that iOS accepts as a profile to install, both in PEM and in DER.
      response = Response(
        headers: ["Content-Type": "application/x-x509-ca-cert"],
        body: path == "/ca.pem" ? Body(authority) : Body(Self.der(authority))
      )
    case ("/ca.pem", nil), ("/ca.cer", nil):
      response = .notice(404, "This proxy has no certificate, because it does not open tunnels.")
    default:
      response = .notice(404, "Unknown path \(path.prefix(60)); open http://wind.tunnel/.")
    }
  }

  /// Returns the bytes between the lines of a PEM text (RFC 7468 §2).
  private static func der(_ pem: String) -> Data {
    let lines = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    return Data(base64Encoded: lines.joined()) ?? Data()
  }

  /// Returns instructions for a device that opened the proxy by its address, so that its requests
  /// use the proxy afterwards.
  private static func instructions(for address: String, opensTunnels: Bool) -> String {
    let url = RequestURL("http://\(address)")
    let (host, port) = (url.host ?? address, url.effectivePort ?? 80)
    return """
      <meta http-equiv="refresh" content="5">
      <h1>Set this proxy</h1>
      <p>Server <strong>\(host.withoutBrackets.escapedForHTML)</strong>, port
      <strong>\(port)</strong>.</p>
      <p><img src="http://\(Proxying.host)\(Proxying.pictureHostPath)" width="320" height="32"
      alt="Not yet: this device does not use the proxy."></p>
      <h2>iPhone, iPad</h2>
      <p>Settings → Wi-Fi → (i) next to the network → Configure Proxy → Manual.</p>
      <h2>Android</h2>
      <p>Settings → Network &amp; internet → Internet → the network → edit → Advanced options → Proxy →
      Manual.</p>
      <h2>Then</h2>
      <p>The line above shows within five seconds that it works, and
      <a href="http://\(Proxying.host)/">http://\(Proxying.host)/</a> shows the scenario.</p>
      \(certificate(opensTunnels: opensTunnels))
      """
  }

  /// An image that only a device with this proxy can load.
  private static let picture = """
    <svg xmlns="http://www.w3.org/2000/svg" width="320" height="32" viewBox="0 0 320 32">
    <rect width="320" height="32" rx="6" fill="#1a7f37"/>
    <text x="12" y="21" font-family="sans-serif" font-size="15" fill="#fff">It works: this device uses the proxy.</text>
    </svg>

    """

  /// Returns a link to the console; empty if devices may not open it.
  private static func console(at url: String?) -> String {
    guard let url else { return "" }
    return """

      <h2>Watch the traffic</h2>
      <p><a href="\(url)">The console</a> shows each request when it arrives, and changes the scenario. It
      serves one device, which must enter the code.</p>
      """
  }

  /// Returns how to install the authority's certificate, or that none is necessary.
  private static func certificate(opensTunnels: Bool) -> String {
    opensTunnels
      ? """
      <h2>Decrypt HTTPS</h2>
      <ol>
      <li>Install the profile: <a href="/ca.cer">ca.cer</a> (or <a href="/ca.pem">ca.pem</a>), then
      Settings → General → VPN &amp; Device Management → WindTunnel → Install.</li>
      <li>Trust it: switch it on in Settings → General → About → Certificate Trust Settings.</li>
      </ol>
      <p>Remove the profile after the test.</p>
      """
      : """
      <h2>HTTPS</h2>
      <p>Tunnels stay closed: the link slows their bytes, but the proxy cannot read them, and no
      certificate must be installed.</p>
      """
  }

  private static func body(_ scenario: Scenario, opensTunnels: Bool) -> String {
    let weather = [
      scenario.summary.map { "<p>\($0.escapedForHTML)</p>" },
      scenario.link.map { "<p>\($0.words.escapedForHTML)</p>" },
    ].compactMap(\.self).joined()
    return """
      <h1>You are in the wind tunnel</h1>
      <p>The proxy works, because this page was sent through it. The scenario is
      <strong>\(scenario.name.escapedForHTML)</strong>.</p>
      \(weather)
      \(certificate(opensTunnels: opensTunnels))
      """
  }
}

extension Response {
  private static let pageStyle = """

    :root { color-scheme: light dark; }
    body { font: 17px/1.45 system-ui, sans-serif; max-width: 34em; margin: 0 auto; padding: 1em; }
    h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
    li { margin: .5em 0; }
    input, button { font: inherit; padding: .3em .6em; }

    """

  /// The source of a page's style by its hash (Content Security Policy Level 3, section 2.3.1).
  static let pageStyleSource = "'sha256-\(Data(SHA256.hash(pageStyle.utf8)).base64EncodedString())'"

  /// Returns a short page of the proxy itself.
  static func page(_ body: String, status: Int = 200) -> Response {
    let html = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>WindTunnel</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>\(pageStyle)</style></head><body>
      \(body)
      </body></html>

      """
    return Response(
      status: status,
      headers: ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"],
      body: Body(html)
    )
  }

  /// Returns a redirect to a page, which is requested by GET (RFC 9110 §15.4.4).
  fileprivate static func seeOther(_ place: String) -> Response {
    Response(status: 303, headers: ["Location": place, "Cache-Control": "no-store"])
  }
}

extension Link {
  /// The link as text, such as `50 ms up, 780 kbit/s up; …`.
  fileprivate var words: String { "Up: \(Self.words(up)). Down: \(Self.words(down))." }

  private static func words(_ way: Direction) -> String {
    let milliseconds = way.delay / .milliseconds(1)
    let rate = way.bitsPerSecond.map { "\(Int($0 / 1000)) kbit/s" } ?? "any rate"
    return "\(Int(milliseconds.rounded())) ms, \(rate)"
  }
}

/// The response of a proxy to a peer that has not entered its code.
///
/// A person types the code into a page, and the whole device is served afterwards. A phone's
/// settings have no field for it, or programs do not use it. A program sends it as the proxy's
/// password.
struct CodePage {
  let response: Response

  /// Creates the response to a request that requires the code.
  ///
  /// - Parameters:
  ///   - verdict: The result of checking the code.
  ///   - isOwnPage: Whether the request was for the proxy's own page, which needs no password.
  init(after verdict: PeerAuthorizer.CodeResult, isOwnPage: Bool) {
    if verdict == .right {
      response = .seeOther("/")
    } else if verdict == .closed || verdict == .last {
      response = .page(Self.closed, status: 403)
    } else if isOwnPage {
      response = .page(Self.form(verdict, at: ""), status: verdict == .wrong ? 403 : 200)
    } else {
      // An absolute URL, because the page is displayed for another host.
      let form = Self.form(verdict, at: "http://\(Proxying.host)")
      var answer = Response.page(form, status: 407)
      answer.head.headers["Proxy-Authenticate"] =
        "Basic realm=\"WindTunnel: any name, and as password the code that the proxy shows\""
      response = answer
    }
  }

  private static func form(_ verdict: PeerAuthorizer.CodeResult, at place: String) -> String {
    let again = verdict == .wrong ? "<p><strong>The code is wrong.</strong></p>" : ""
    return """
      <h1>Enter the code</h1>
      \(again)
      <form method="post" action="\(place)\(Proxying.codePath)">
      <p><label>The code that the proxy shows in its terminal:<br>
      <input name="code" inputmode="numeric" autocomplete="off" autofocus></label>
      <button>Connect</button></p>
      </form>
      <p>After that, the proxy serves this device until it ends.</p>
      """
  }

  private static let closed = """
    <h1>Codes are not accepted now</h1>
    <p>Too many wrong codes were entered. Wait
    \(Int(PeerAuthorizer.pauseSeconds / 60)) minutes. Or restart the proxy for
    a new code, or with --client and the address of this device.</p>
    """
}

/// The code in a request.
enum GivenCode {
  /// The maximum size of a form with the code in bytes.
  static let formBytesMax = 256

  /// Returns the code in `Proxy-Authorization: Basic`, whose password it is (RFC 9110 §11.7.2, RFC
  /// 7617 §2); `nil` if there is none.
  static func inCredentials(_ headers: HeaderFields) -> String? {
    guard let field = headers["Proxy-Authorization"] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let data = Data(base64Encoded: String(parts[1].trimmingOptionalWhitespace()))
    else { return nil }
    let pair = String(decoding: data, as: UTF8.self)
    return pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
  }

  /// Returns the code in the submitted form of ``CodePage``; empty if there is none.
  static func inForm(_ body: Data) -> String {
    FormFields.fields(body).first { $0.name == "code" }?.text ?? ""
  }
}
