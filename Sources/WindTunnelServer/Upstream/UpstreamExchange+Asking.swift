internal import Foundation
internal import WindTunnel

// The request, as the upstream is asked it.
extension UpstreamExchange {
  func send(to channel: Channel) {
    let request = outcome.request
    var headers = request.headers
    // Known by the recorded name, an upstream says that name wherever it speaks of itself.
    let recorded = ticket == nil ? nil : client?.context.options.recordedOrigin
    let named = recorded ?? upstream.url
    if ticket != nil, client?.context.options.keepsEncodings == false {
      headers.acceptOnlyOpenedCodings()
    }
    let port = named.port.map { ":\($0)" } ?? ""
    headers = HeaderFields([HeaderField("Host", (named.host ?? "") + port)] + headers)
    if asksForUpgrade {
      headers.append("Connection", "Upgrade")
      headers.append("Upgrade", "websocket")
    } else if !isShared {
      headers.append("Connection", "close")
    }
    let data = request.body.data
    if upload != nil {
      frameContent(&headers)
    } else if data.isEmpty, headers["Content-Length"] == nil || headers["Content-Length"] == "0" {
      // RFC 9110 §8.6: a request that could have content says that it has none.
      if ["POST", "PUT", "PATCH"].contains(request.method) { headers["Content-Length"] = "0" }
    } else {
      headers["Content-Length"] = String(data.count)
    }
    channel.write { bytes in
      bytes.appendHead(method: request.method, target: request.url.target, headers: headers)
    }
    unsent = data
    isHeadSent = true
    passContent()
  }
}
