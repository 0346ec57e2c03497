import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Conversations that pass through a recording server, and what stands on the cassette of them.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct RecordedConversationTests {
  /// A message without its time.
  static func lines(_ interaction: Interaction) -> [String] {
    interaction.messages.map { message in
      let content = message.body.text ?? "\(Array(message.body.data))"
      let cause = message.cause.map { " after \($0)" } ?? ""
      let frames = message.fragments.isEmpty ? "" : " in \(message.fragments)"
      return "\(message.sender) \(message.kind) \(content)\(frames)\(cause)"
    }
  }

  @Test(arguments: [false, true])
  func `each message stands on the cassette, and nothing of one handshake`(
    compresses: Bool
  ) async throws {
    guard !compresses || PerMessageDeflate.isSupported else { return }
    let origin = try await WebSocketOrigin(compresses: compresses, answering: WebSocketOrigin.echo)
    let terms = compresses ? PerMessageDeflate() : nil
    let offer: HeaderFields = [
      "Sec-WebSocket-Extensions": "x-unknown; a=1, permessage-deflate", "X-Asked": "yes",
    ]
    let interactions = try await origin.recording { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat?room=1", offer, deflate: terms)
      #expect(peer.head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
      await peer.say(#"{"id":1}"#, in: [3, 5])
      await expectEqual(peer.hear(1), [.text(#"{"id":1}"#, frames: 2)])
      await peer.say(WebSocketFrame(.ping, Data("p".utf8)))
      await expectEqual(peer.hear(1), [.pong("p")])
      await peer.say([0, 255])
      await expectEqual(peer.hear(1), [.binary([0, 255], frames: 1)])
      await peer.close(4000, "done")
      await expectEqual(peer.hearAll(), [.close(4000, "done"), .end(.finished)])
    }
    let asked = try await origin.asked.next()
    #expect(asked.contains("Sec-WebSocket-Extensions: permessage-deflate\r\n"))
    let interaction = try #require(interactions.first)
    expectEqual(interactions.count, 1)
    expectEqual(interaction.request.url, "http://api.example.test/chat?room=1")
    expectEqual(interaction.request.headers["X-Asked"], "yes")
    expectNil(interaction.request.headers["Sec-WebSocket-Key"])
    expectEqual(interaction.response?.status, 101)
    expectEqual(interaction.response?.headers["X-Served"], "yes")
    expectEqual(interaction.response?.headers["Upgrade"], "websocket")
    expectNil(interaction.response?.headers["Sec-WebSocket-Accept"])
    if !compresses {
      expectEqual(
        Self.lines(interaction),
        [
          #"client text {"id":1} in [3, 5]"#, #"server text {"id":1} in [5, 3] after 1"#,
          "client binary [0, 255]", "server binary [0, 255] after 3", "client close(4000) done",
          "server close(4000) done after 5",
        ]
      )
    }
    expectEqual(interaction.messages.map(\.offset), interaction.messages.map(\.offset).sorted())
    #expect(interaction.notes.isEmpty)
    try await Self.replay(interactions, offer, terms)
  }

  /// Plays what was recorded, with the origin gone.
  private static func replay(
    _ interactions: [Interaction],
    _ offer: HeaderFields,
    _ terms: PerMessageDeflate?
  ) async throws {
    let deck = Deck(Cassette(interactions), matcher: .pathAndQuery)
    try await ReplayServer.serving(deck) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat?room=1", offer, deflate: terms)
      await peer.say(#"{"id":1}"#)
      await expectEqual(peer.hear(1), [.text(#"{"id":1}"#, frames: 2)])
      await peer.say([0, 255])
      await expectEqual(peer.hear(1), [.binary([0, 255], frames: 1)])
      await peer.close(4000, "done")
      await expectEqual(peer.hearAll(), [.close(4000, "done"), .end(.finished)])
    }
    expectEqual(deck.journal.all.last?.misfits, [])
  }

  @Test func `an end without a word is one on the cassette, whoever's it is`() async throws {
    let origin = try await WebSocketOrigin { event, writer in
      guard case .message(let data, _, _) = event else { return [] }
      return [writer.message(data, isText: true)]
    }
    let interactions = try await origin.recording { server in
      let peer = try await WebSocketPeer(try server.client(), "/a")
      await peer.say("a")
      await expectEqual(peer.hear(1), [.text("a", frames: 1)])
      await peer.leave()
    }
    expectEqual(
      interactions.map(Self.lines),
      [["client text a", "server text a after 1", "client close(1006) "]]
    )
  }

  @Test func `secrets in messages do not come onto the cassette`() async throws {
    let origin = try await WebSocketOrigin(answering: WebSocketOrigin.echo)
    let secret = "wt-3f9a8b7c6d5e4f3a2b1c"
    let interactions = try await origin.recording { server in
      let peer = try await WebSocketPeer(
        try server.client(),
        "/chat?access_token=\(secret)",
        ["Authorization": "Bearer \(secret)", "Sec-WebSocket-Protocol": "chat, token.\(secret)"]
      )
      await peer.say(#"{"type":"auth","token":"\#(secret)"}"#)
      _ = await peer.hear(1)
      await peer.close(1000, "token \(secret) expired")
      _ = await peer.hearAll()
    }
    let text = String(decoding: Cassette(interactions).data(), as: UTF8.self)
    #expect(!text.contains(secret), "\(text)")
    expectEqual(interactions.first?.messages.first?.body.text?.contains("REDACTED-"), true)
  }

  @Test func `what breaks the rules passes, and the cassette says from where on it is not whole`()
    async throws
  {
    let origin = try await WebSocketOrigin { event, writer in
      guard case .message(let data, _, _) = event else { return [] }
      return [writer.message(data, isText: true), Data([0x83, 0x01, 0x61])]
    }
    let interactions = try await origin.recording { server in
      let client = try server.client()
      await client.send(WebSocketPeer.wish("/a"))
      await client.send(
        Array(WebSocketWriter(as: .client, nil).message(Data("a".utf8), isText: true))
      )
      var heard: [UInt8] = []
      while !heard.suffix(6).elementsEqual([0x81, 1, 0x61, 0x83, 1, 0x61]) {
        let more = await client.receive(atLeast: 1)
        if more.isEmpty { break }
        heard += more
      }
      #expect(heard.suffix(6).elementsEqual([0x81, 1, 0x61, 0x83, 1, 0x61]))
      client.close()
    }
    expectEqual(interactions.map(Self.lines), [["client text a", "server text a after 1"]])
    expectEqual(
      interactions.first?.notes,
      [
        JSON.Member(
          "_incomplete",
          "the server broke a rule: The opcode 3 is reserved (RFC 6455 §5.2)."
        )
      ]
    )
  }

  @Test func `a recording that is stopped keeps what has been said`() async throws {
    let origin = try await WebSocketOrigin(answering: WebSocketOrigin.echo)
    let interactions = try await origin.recording { server in
      let peer = try await WebSocketPeer(try server.client(), "/a")
      await peer.say("a")
      await expectEqual(peer.hear(1), [.text("a", frames: 1)])
      async let stopped: Void = server.stop(grace: .seconds(60))
      _ = await peer.hearAll()
      await stopped
    }
    expectEqual(
      interactions.map { Self.lines($0).prefix(2) },
      [["client text a", "server text a after 1"]]
    )
  }
}
