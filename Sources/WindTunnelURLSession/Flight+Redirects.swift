internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension Flight {
  /// How many redirects are followed, as by the platforms' own protocol.
  private static let redirectsMax = 20

  /// Asks the task's delegate, and then the next place; where the delegate does not want to be
  /// led, the answer that leads is the answer, and `stay` hands it over.
  func follow(
    _ redirect: Redirect,
    _ head: ResponseHead,
    otherwise stay: @escaping (Flight) -> Void
  ) {
    redirects += 1
    guard redirects <= Self.redirectsMax else {
      return land { $0.fail(Symptom.tooManyRedirects) }
    }
    isAsking = true
    context.ask(about: redirect.request, head, from: request) { [self] allowed in
      goOn { flight in
        flight.isAsking = false
        if let allowed { flight.go(to: allowed, redirect, head) } else { stay(flight) }
      }
    }
  }

  private func go(to next: URLRequest, _ redirect: Redirect, _ head: ResponseHead) {
    drop()
    courier.storeCookies(of: head, at: request.url)
    request = next
    context.addCookies(to: &request)
    decide(body: redirect.keepsBody ? request.httpBody ?? body : Data())
  }
}
