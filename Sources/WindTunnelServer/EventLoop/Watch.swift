/// A descriptor's registration with the loop, which the system is told about only when it changes.
final class Watch {
  private(set) var interest: Readiness
  private let descriptor: Int32
  private let token: Token
  private let reactor: Reactor
  private var isMuted = false

  init(
    _ descriptor: Int32,
    _ interest: Readiness,
    _ handler: any ReadinessHandler,
    on reactor: Reactor
  ) throws(SocketError) {
    (self.descriptor, self.interest, self.reactor) = (descriptor, interest, reactor)
    token = try reactor.register(descriptor, interest, handler)
  }

  func set(_ next: Readiness) {
    guard next != interest else { return }
    if isMuted {
      reactor.unmute(descriptor, next, token)
      isMuted = false
    } else {
      reactor.change(descriptor, from: interest, to: next, token)
    }
    interest = next
  }

  /// Hears nothing, not even of hang-ups, until another interest is set.
  func mute() {
    guard !isMuted else { return }
    reactor.mute(descriptor, interest)
    isMuted = true
  }

  func end() { reactor.unregister(descriptor, isMuted ? [] : interest, token) }
}
