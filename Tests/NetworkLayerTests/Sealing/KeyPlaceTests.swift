import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// Files that only their owner reads.
@Suite struct KeyPlaceTests {
  /// A place for keys in a folder of its own, which lasts as long as that.
  static func keys() throws -> (folder: DiskStoreTests.Folder, place: FileKeyPlace) {
    let folder = DiskStoreTests.Folder()
    return (folder, try FileKeyPlace(directory: folder.url))
  }

  /// Expects a refusal in these words.
  private static func refuses(
    _ words: String,
    _ location: SourceLocation = #_sourceLocation,
    _ work: () throws -> Void
  ) {
    #expect(throws: SealingError.place(words), sourceLocation: location) { try work() }
  }

  private static func mode(_ file: URL) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return attributes[.posixPermissions] as? Int
  }

  @Test func `what is kept is there for the next process, and for its owner alone`() throws {
    let (folder, place) = try Self.keys()
    try expectNil(place.read("token"))
    try place.write(Data("one".utf8), as: "token")
    try place.write(Data("two".utf8), as: "token")
    try expectEqual(FileKeyPlace(directory: folder.url).read("token"), Data("two".utf8))
    try expectEqual(folder.names, ["token"])
    try expectEqual(Self.mode(folder.url.appending(path: "token")), 0o600)
    try expectEqual(Self.mode(folder.url), 0o700)
    try place.remove("token")
    try place.remove("token")
    try expectNil(place.read("token"))
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o602, 0o601, 0o610])
  func `a file that others may use is refused in a sentence`(mode: Int) throws {
    let (folder, place) = try Self.keys()
    try place.write(Data("key".utf8), as: "k")
    let file = folder.url.appending(path: "k").path
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    let error = SealingError.place(
      "The key file \(file) has mode \(String(mode, radix: 8)), so other users may have read it. "
        + "Remove it, or run chmod 600 on it if the key is still secret."
    )
    #expect(throws: error) { try place.read("k") }
    #expect(throws: error) { try place.key(named: "k") }
    #expect(throws: error) { try place.add(Data(), as: "k") }
    // In a file's place a new one may be put, which is its owner's alone.
    try place.write(Data("new".utf8), as: "k")
    try expectEqual(place.read("k"), Data("new".utf8))
  }

  @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
  func `a file or a folder of another user is refused in a sentence`() throws {
    let (folder, place) = try Self.keys()
    try place.write(Data("key".utf8), as: "k")
    let file = folder.url.appending(path: "k").path
    try FileManager.default.setAttributes([.ownerAccountID: 4242], ofItemAtPath: file)
    Self.refuses(
      "\(file) belongs to user 4242, not to user 0; remove it, or choose another folder for "
        + "keys."
    ) { _ = try place.read("k") }
    try FileManager.default.setAttributes([.ownerAccountID: 4242], ofItemAtPath: folder.url.path)
    Self.refuses(
      "\(folder.url.path) belongs to user 4242, not to user 0; remove it, or choose another "
        + "folder for keys."
    ) { _ = try FileKeyPlace(directory: folder.url) }
  }

  @Test func `links, folders, pipes and what is too long are no keys`() throws {
    let (folder, place) = try Self.keys()
    try place.write(Data("key".utf8), as: "k")
    let path = folder.url.path
    try FileManager.default.createSymbolicLink(
      atPath: path + "/link",
      withDestinationPath: path + "/k"
    )
    Self.refuses("The key file \(path)/link is a link, which is not allowed; remove it.") {
      _ = try place.read("link")
    }
    try FileManager.default.createDirectory(
      atPath: path + "/dir",
      withIntermediateDirectories: true
    )
    mkfifo(path + "/pipe", 0o600)
    for name in ["dir", "pipe"] {
      Self.refuses("The key file \(path)/\(name) is not a regular file; remove it.") {
        _ = try place.read(name)
      }
    }
    try Data(count: FileKeyPlace.bytesMax + 1).write(to: folder.url.appending(path: "k"))
    Self.refuses("The key file \(path)/k has more than 65536 bytes; remove it.") {
      _ = try place.read("k")
    }
    Self.refuses("\"k\" has 65537 bytes; the maximum is 65536.") {
      try place.write(Data(count: FileKeyPlace.bytesMax + 1), as: "k")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    Self.refuses(
      "The folder \(path) has mode 777, so other users can write keys to it; run chmod "
        + "700 on it."
    ) { _ = try FileKeyPlace(directory: folder.url) }
  }

  @Test(arguments: [
    "", ".", "..", "../k", "a/b", ".hidden", "é", "a\u{0}b", String(repeating: "a", count: 65),
  ])
  func `a name that leads elsewhere is none`(name: String) throws {
    let (folder, place) = try Self.keys()
    let error = SealingError.place(
      "\"\(name)\" is not a name of a key: use up to 64 letters, digits, hyphens, underscores and dots, "
        + "without a dot at the start."
    )
    #expect(throws: error) { try place.read(name) }
    #expect(throws: error) { try place.write(Data(), as: name) }
    #expect(throws: error) { try place.add(Data(), as: name) }
    #expect(throws: error) { try place.remove(name) }
    try expectEqual(folder.names, [])
  }

  @Test func `drafts that a kill left behind are swept, and those of others at work are not`()
    throws
  {
    let (folder, place) = try Self.keys()
    try place.write(Data("key".utf8), as: "k")
    let names = ["old", "new"].map { _ in ".k.\(UUID().uuidString)" } + [".k.other", ".x"]
    for name in names { try Data("key".utf8).write(to: folder.url.appending(path: name)) }
    for name in [names[0], ".k.other"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: folder.url.appending(path: name).path
      )
    }
    try expectEqual(FileKeyPlace(directory: folder.url).read("k"), Data("key".utf8))
    try expectEqual(folder.names, [names[1], ".k.other", ".x", "k"].sorted())
  }

  @Test func `all who want a key at once have the same one`() async throws {
    let folder = DiskStoreTests.Folder()
    let url = folder.url
    let keys = try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<32 { group.addTask { try FileKeyPlace(directory: url).key(named: "k") } }
      return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
    }
    expectEqual(keys.count, 1)
    expectEqual(keys.first?.count, 32)
    try expectEqual(folder.names, ["k"])
    try FileKeyPlace(directory: url).write(Data("short".utf8), as: "k")
    #expect(
      throws: SealingError.key(
        "The key \"k\" has 5 bytes instead of 32; remove it to create a new key."
      )
    ) { try FileKeyPlace(directory: url).key(named: "k") }
  }
}

/// Tokens that outlive the process.
@Suite struct TokenStoreTests {
  @Test func `a token that was fetched is sent after a relaunch, and none after a sign-out`()
    async throws
  {
    let folder = DiskStoreTests.Folder()
    let first = try BearerTokens(in: TokenStore(try FileKeyPlace(directory: folder.url))) { "t-1" }
    let fixture = try Fixture([.status(401), .status(200)], authenticator: first)
    try await expectEqual(fixture.start().value.get().attempts, 2)
    expectNil(first.storeError)

    let second = try BearerTokens(in: TokenStore(try FileKeyPlace(directory: folder.url))) { "t-2" }
    let relaunched = try Fixture([.status(200)], authenticator: second)
    _ = try await relaunched.start().value.get()
    expectEqual(relaunched.sent("Authorization"), ["Bearer t-1"])
    second.signOut()
    try expectEqual(folder.names, [])
    let third = try BearerTokens(in: TokenStore(try FileKeyPlace(directory: folder.url))) { "t-3" }
    let signedOut = try Fixture([.status(200)], authenticator: third)
    _ = try await signedOut.start().value.get()
    expectEqual(signedOut.sent("Authorization"), [nil])
  }

  /// A place whose writes take as long as a test says.
  private struct SlowDisk: Sendable {
    let isAsked = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)
    /// True where nobody has let a write go on in time.
    let isLate = Locked(false)

    /// A store of tokens on it.
    func store(_ files: FileKeyPlace) -> TokenStore {
      TokenStore(
        WatchedPlace(place: files) { _ in
          isAsked.signal()
          if goesOn.wait(timeout: .now() + 300) == .timedOut { isLate.withLock { $0 = true } }
        }
      )
    }

    /// Waits until it is asked to write.
    func untilAsked() async {
      await withCheckedContinuation { asked in
        // On a thread of its own: a blocked thread of the pool would block others.
        Thread {
          isAsked.wait()
          asked.resume()
        }.start()
      }
    }
  }

  @Test func `a disk that is slow holds no call up, and a token is used when it is kept`()
    async throws
  {
    let (folder, files) = try KeyPlaceTests.keys()
    defer { withExtendedLifetime(folder) {} }
    try TokenStore(files).keep("old")
    let slow = SlowDisk()
    let tokens = try BearerTokens(in: slow.store(files)) { "new" }
    let old = try await tokens.authorize(URLRequest(url: try Fixture.base()))
    let renewal = Task { await tokens.renew(after: old) }
    await slow.untilAsked()
    let during = try await tokens.authorize(URLRequest(url: try Fixture.base()))
    expectEqual(during.value(forHTTPHeaderField: "Authorization"), "Bearer old")
    expectNil(tokens.storeError)
    slow.goesOn.signal()
    #expect(await renewal.value)
    #expect(!slow.isLate.withLock { $0 }, "the call waited for the disk")
    let after = try await tokens.authorize(URLRequest(url: try Fixture.base()))
    expectEqual(after.value(forHTTPHeaderField: "Authorization"), "Bearer new")
    try expectEqual(TokenStore(files).token(), "new")
  }

  @Test func `who signs out while a token is written has none, here and at the place`() async throws
  {
    let (folder, files) = try KeyPlaceTests.keys()
    defer { withExtendedLifetime(folder) {} }
    let slow = SlowDisk()
    let tokens = try BearerTokens(in: slow.store(files)) { "new" }
    let request = URLRequest(url: try Fixture.base())
    let renewal = Task { await tokens.renew(after: request) }
    await slow.untilAsked()
    await withCheckedContinuation { out in
      Thread {
        tokens.signOut()
        out.resume()
      }.start()
      slow.goesOn.signal()
    }
    _ = await renewal.value
    #expect(!slow.isLate.withLock { $0 })
    try expectNil(TokenStore(files).token())
    let after = try await tokens.authorize(request)
    expectNil(after.value(forHTTPHeaderField: "Authorization"))
  }

  @Test func `a token that is fetched while somebody signs out is thrown away`() async throws {
    let folder = DiskStoreTests.Folder()
    let store = TokenStore(try FileKeyPlace(directory: folder.url))
    let (begun, begins) = AsyncStream<Void>.makeStream()
    let (open, opens) = AsyncStream<Void>.makeStream()
    let tokens = try BearerTokens(in: store) {
      begins.finish()
      for await _ in open {}
      return "late"
    }
    let fixture = try Fixture([.status(401), .status(200)], authenticator: tokens)
    let call = fixture.start()
    for await _ in begun {}
    tokens.signOut()
    opens.finish()
    await expectEqual(call.value, .failure(.credentials(status: 401, body: Data())))
    try expectNil(store.token())
    expectEqual(fixture.transport.requests.count, 1)
  }

  @Test func `a store that others can read is refused before a token is sent`() throws {
    let (folder, place) = try KeyPlaceTests.keys()
    try TokenStore(place).keep("t")
    let file = folder.url.appending(path: "token").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    #expect(
      throws: SealingError.place(
        "The key file \(file) has mode 640, so other users may have read it. Remove it, or run chmod "
          + "600 on it if the key is still secret."
      )
    ) { try BearerTokens(in: TokenStore(place)) { "" } }
    try place.write(Data([0xFF]), as: "token")
    #expect(throws: SealingError.place("The stored value \"token\" is not a token; remove it.")) {
      try TokenStore(place).token()
    }
  }

  @Test func `a token that cannot be kept is used, and that is told`() async throws {
    let (folder, place) = try KeyPlaceTests.keys()
    let store = TokenStore(place)
    let tokens = try BearerTokens(in: store) { "t" }
    try FileManager.default.removeItem(at: folder.url)
    let fixture = try Fixture([.status(401), .status(200)], authenticator: tokens)
    try await expectEqual(fixture.start().value.get().attempts, 2)
    guard case .place(let text) = tokens.storeError else {
      Issue.record("\(String(describing: tokens.storeError))")
      return
    }
    #expect(text.contains("cannot be created: No such file or directory."))
  }
}
