import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

@Suite struct NetworksTests {
  @Test func `who listens hears the status and each change, and is forgotten with his task`() async
  {
    let networks = ScriptedNetworks(.offline)
    let (heard, hears) = AsyncStream<NetworkStatus>.makeStream()
    let listener = Task { for await status in networks.changes { hears.yield(status) } }
    var statuses = heard.makeAsyncIterator()
    var seen: [NetworkStatus?] = [await statuses.next()]
    for status in [NetworkStatus.online(.constrained), .online] {
      networks.change(to: status)
      seen.append(await statuses.next())
      expectEqual(networks.status, status)
    }
    expectEqual(seen, [.offline, .online(.constrained), .online])
    listener.cancel()
    await listener.value
    expectEqual(networks.listenerCount, 0)
  }

  @Test func `a need is met by networks without what it does not want`() {
    let statuses: [NetworkStatus] = [
      .offline, .online, .online(.expensive), .online(.constrained),
      .online([.expensive, .constrained]),
    ]
    let met = NetworkNeed.allCases.map { need in statuses.map { need.isMet(by: $0) } }
    expectEqual(
      met,
      [
        [false, true, true, true, true], [false, true, false, true, false],
        [false, true, true, false, false], [false, true, false, false, false],
      ]
    )
  }

  private struct Stand {
    let networks: ScriptedNetworks
    let fixture: Fixture
    var time: ManualTime { fixture.time }
    var transport: ScriptedTransport { fixture.transport }

    init(
      _ status: NetworkStatus,
      _ script: [ScriptedTransport.Step],
      deadline: Duration? = nil,
      endpoints: [String: EndpointTerms] = [:]
    ) throws {
      networks = ScriptedNetworks(status)
      fixture = try Fixture(
        script,
        mostRetries: [:],
        deadline: deadline,
        endpoints: endpoints,
        networks: networks
      )
    }

    func start(_ need: NetworkNeed?) -> Task<Result<CallResponse, NetworkError>, Never> {
      let endpoint = Endpoint(.get, "/a", waitsForNetwork: need)
      return fixture.start(endpoint)
    }

    var waits: [CallEvent.Wait] { fixture.observer.waitsMet }

    /// Until it is seen to wait.
    func untilWaiting() async { while waits.isEmpty { await Task.yield() } }
  }

  @Test func `a call waits for a network that it may use, and reports it`() async throws {
    let stand = try Stand(.offline, [.status(200)])
    let call = stand.start(.inexpensive)
    await stand.untilWaiting()
    stand.networks.change(to: .online(.expensive))
    #expect(stand.transport.requests.isEmpty)
    stand.networks.change(to: .online(.constrained))
    try await expectEqual(call.value.get().status, 200)
    expectEqual(stand.waits, [.network])
    expectEqual(stand.networks.listenerCount, 0)
  }

  @Test func `a configuration has an endpoint wait`() async throws {
    let terms = try JSONDecoder().decode(
      EndpointTerms.self,
      from: Data(#"{"waitsForNetwork":"any"}"#.utf8)
    )
    let stand = try Stand(.offline, [.status(200)], endpoints: ["/a": terms])
    let call = stand.start(nil)
    await stand.untilWaiting()
    stand.networks.change(to: .online)
    try await expectEqual(call.value.get().status, 200)
  }

  @Test func `a call that does not wait for a network is tried, even if the device is offline`()
    async throws
  {
    let stand = try Stand(.offline, [.symptom(.offline)])
    await expectEqual(stand.start(nil).value, .failure(.offline(text: "offline")))
    expectEqual(stand.transport.requests.count, 1)
    expectEqual(stand.waits, [])
  }

  @Test func `a wait ends with the deadline`() async throws {
    let stand = try Stand(.offline, [], deadline: .seconds(5))
    let call = stand.start(.any)
    await stand.untilWaiting()
    stand.time.advance(by: .seconds(5))
    await expectEqual(call.value, .failure(.deadlinePassed(.seconds(5))))
    #expect(stand.transport.requests.isEmpty)
    expectEqual(stand.networks.listenerCount, 0)
  }

  @Test func `an attempt that finds no network is followed by another one when there is`()
    async throws
  {
    let stand = try Stand(.online, [.symptom(.offline), .symptom(.offline), .status(200)])
    let call = stand.start(.any)
    await expectEqual(stand.time.passSleeps(2), [.seconds(1), .seconds(1)])
    try await expectEqual(call.value.get().status, 200)
    expectEqual(stand.waits, [.network, .network])
  }

  @Test func `an attempt without a network fails where there is no time for another one`()
    async throws
  {
    let stand = try Stand(.online, [.symptom(.offline)], deadline: .seconds(1))
    await expectEqual(stand.start(.any).value, .failure(.offline(text: "offline")))
  }

  #if os(Linux)
    private static let starter = OutboxProgram.starter(
      [["unshare", "-rn"], ["unshare", "-n"]],
      doing: "true"
    )
    private static let whyNot: Comment = "No network namespace of one's own may be had here."

    @Test(.enabled(if: starter != nil, whyNot))
    func `a machine with nothing but its loopback is offline`() async throws {
      let program = OutboxProgram(under: try #require(Self.starter))
      try await expectEqual(program.run(["network"]).lines, ["offline"])
    }

    private static let addressing = OutboxProgram.starter(
      [["unshare", "-rn"], ["unshare", "-n"]],
      doing: "ip link add wt0 type veth"
    )

    @Test(
      .enabled(if: addressing != nil, whyNot),
      arguments: [
        (address: "192.0.2.1/24", status: "online"), (address: "169.254.7.7/16", status: "offline"),
        (address: "2001:db8::1/64", status: "online"),
      ]
    )
    func `a machine with an address of more than its link is online`(
      row: (address: String, status: String)
    ) async throws {
      // An address of IPv6 is tentative for a while (RFC 4862 §5.4), unless it is not to be checked.
      let flag = row.address.contains(":") ? "nodad" : ""
      let script = """
        ip link add wt0 type veth peer name wt1 && ip link set wt1 up || exit 4
        ip addr add \(row.address) dev wt0 \(flag) && ip link set wt0 up || exit 4
        exec "$0" network
        """
      let program = OutboxProgram(under: try #require(Self.addressing))
      try await expectEqual(program.run(shell: script).lines, [row.status])
    }

    @Test(.enabled(if: addressing != nil, whyNot))
    func `an interface that comes up is a change`() async throws {
      let stand = OutboxStand()
      let script = """
        mkdir "$1" && mkfifo "$1/told" || exit 4
        ip link add wt0 type veth peer name wt1 && ip link set wt1 up || exit 4
        ip addr add 192.0.2.1/24 dev wt0 || exit 4
        "$0" networks > "$1/told" & program=$!
        exec 3< "$1/told"
        read first <&3; ip link set wt0 up; read second <&3; ip link set wt0 down; read third <&3
        kill $program
        echo "$first $second $third"
        """
      let program = OutboxProgram(under: try #require(Self.addressing))
      let lines = try await program.run([stand.folder.path], shell: script).lines
      expectEqual(lines, ["offline online offline"])
    }
  #endif
}
