import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelServer

/// The connections that each kind of peer may have.
@Suite struct PeerQuotaTests {
  @Test(arguments: [
    (64, [16, 16, 0, 0, 0, 0]), (16_384, [16, 16, 16, 16, 0, 8192 - 64]), (1, [1, 0, 0, 0, 0, 0]),
  ])
  func `devices have half of a port, and few of that without the code`(most: Int, counts: [Int]) {
    var quota = PeerQuota(connectionsMax: most)
    func enter(_ kind: PeerKind, _ peer: String) -> Int {
      (0..<2 * most).count { _ in quota.enter(kind, peer) }
    }
    let unpaired = (2...6).map { enter(.unpaired, "10.0.0.\($0)") }
    expectEqual(unpaired + [enter(.device, "10.0.0.7")], counts)
    expectEqual(enter(.owner, "127.0.0.1"), 2 * most)
    quota.leave(.unpaired, "10.0.0.2")
    expectEqual(enter(.unpaired, "10.0.0.2"), 1)
  }

  @Test func `a place is free again once its connection has ended`() {
    let quota = Locked(PeerQuota(connectionsMax: 2))
    var places = [PeerPlace(.device, "10.0.0.7", in: quota), PeerPlace(.device, "1", in: quota)]
    expectEqual(places.map { $0?.kind }, [.device, nil])
    places = []
    #expect(PeerPlace(.device, "1", in: quota) != nil)
  }
}
