import TestSupport

@testable import WindTunnelNetworkLayer

@Suite struct DiskStoreTests {
  private let folder = Folder()

  /// A directory that is gone after the test.
  final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    deinit {
      // Nobody misses what stays behind in the system's temporary directory.
      try? FileManager.default.removeItem(at: url)
    }
    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
  }

  static func answer(_ key: String, _ body: Data) -> CachedResponse {
    CachedResponse(
      key: key,
      date: ManualTime.epoch,
      varied: ["Accept": "a"],
      status: 200,
      headers: ["ETag": "\"1\"", "Set-Cookie": "a", "Set-Cookie": "b"],
      body: body
    )
  }

  @Test func `what was kept is there for the next process`() throws {
    let kept = Self.answer("http://a.test/", Data([0, 255, 10]))
    try DiskStore(directory: folder.url).keep(kept)
    let store = try DiskStore(directory: folder.url)
    expectEqual(store["http://a.test/"], kept)
    expectNil(store["http://a.test/b"])
    store.remove("http://a.test/")
    expectNil(store["http://a.test/"])
    try expectEqual(folder.names, [])
  }

  @Test func `a file with any byte changed or cut off is no answer and is removed`() throws {
    let kept = Self.answer("k", Data("body".utf8))
    let bytes = try CacheFile.write(kept)
    expectEqual(CacheFile.read(bytes), kept)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x20
      expectNil(CacheFile.read(damaged))
      expectNil(CacheFile.read(bytes.prefix(place)))
    }
    expectNil(CacheFile.read(bytes + [0]))

    let store = try DiskStore(directory: folder.url)
    store.keep(kept)
    let name = try #require(try folder.names.first)
    try bytes.dropLast().write(to: folder.url.appendingPathComponent(name))
    expectNil(store["k"])
    try expectEqual(folder.names, [])
    store.keep(kept)
    expectEqual(store["k"], kept)
  }

  @Test func `an answer of another address in its file is not given out`() throws {
    let store = try DiskStore(directory: folder.url)
    store.keep(Self.answer("k", Data()))
    let name = try #require(try folder.names.first)
    try CacheFile.write(Self.answer("other", Data()))
      .write(to: folder.url.appendingPathComponent(name))
    expectNil(store["k"])
  }

  @Test func `the bytes on disk are bounded, and half files are swept`() throws {
    let store = try DiskStore(directory: folder.url, bytes: 10_000)
    for number in 0..<50 { store.keep(Self.answer("\(number)", Data(count: 1_000))) }
    #expect(store.bytes <= 10_000)
    #expect(store["49"] != nil && store["0"] == nil)
    try Data("half".utf8).write(to: folder.url.appendingPathComponent(".dat.nosync1"))
    let again = try DiskStore(directory: folder.url, bytes: 5_000)
    #expect(again.bytes <= 5_000)
    #expect(try folder.names.allSatisfy { $0.hasSuffix(".answer") })
  }

  @Test func `a process that is killed in the middle leaves whole answers`() async throws {
    let path = folder.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try DiskStore(directory: URL(fileURLWithPath: path))
      // Threads that write all the while, and one that ends it between two bytes.
      let written = Locked(0)
      for thread in 0..<4 {
        Thread.detachNewThread {
          for round in 0..<Int.max {
            let key = "\(round % 8)"
            store.keep(DiskStoreTests.answer(key, Data(count: 10_000 + thread * 50_000)))
            written.withLock { $0 += 1 }
          }
        }
      }
      while written.withLock({ $0 }) < 200 { await Task.yield() }
      kill(getpid(), SIGKILL)
    }
    let store = try DiskStore(directory: folder.url)
    let names = try folder.names
    #expect(!names.isEmpty)
    for name in names {
      let data = try Data(contentsOf: folder.url.appendingPathComponent(name))
      #expect(CacheFile.read(data) != nil)
    }
    #expect((0..<8).contains { store["\($0)"] != nil })
  }

  @Test func `a cache shows at the next start what it kept on disk`() async throws {
    let step = ScriptedTransport.Step.status(200, ["Cache-Control": "max-age=60"], body: "one")
    for script in [[step], []] {
      let cache = ResponseCache(disk: try DiskStore(directory: folder.url))
      let fixture = try Fixture(script, cache: cache)
      let answer = try await fixture.client.call(Endpoint(.get, "/page"))
      expectEqual(answer.body, Data("one".utf8))
      expectEqual(answer.source, (script.isEmpty ? .cache : .network))
    }
  }
}
