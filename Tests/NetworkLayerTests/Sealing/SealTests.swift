import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// The texts that open, and for whom.
@Suite struct SealTests {
  static let key = Data((0..<32).map { UInt8($0) })

  @Test func `a piece with any bit changed or cut off anywhere does not open`() throws {
    let cipher = try AES256GCM(key: Self.key)
    let context = Data("bound to this".utf8)
    let piece = try cipher.seal(Data("a text".utf8), authenticating: context)
    try expectEqual(cipher.open(piece, authenticating: context), Data("a text".utf8))
    for place in piece.indices {
      for bit in 0..<8 {
        var other = piece
        other[place] ^= 1 << bit
        #expect(throws: SealingError.tampered) { try cipher.open(other, authenticating: context) }
      }
      #expect(throws: SealingError.tampered) {
        try cipher.open(piece.prefix(place), authenticating: context)
      }
    }
    #expect(throws: SealingError.tampered) {
      try cipher.open(piece + [0], authenticating: context)
    }
    for place in context.indices {
      var other = context
      other[place] ^= 1
      #expect(throws: SealingError.tampered) { try cipher.open(piece, authenticating: other) }
    }
  }

  @Test func `another key opens nothing, and equal texts are sealed as different ones`() throws {
    let cipher = try AES256GCM(key: Self.key)
    let other = try AES256GCM(key: Data(Self.key.reversed()))
    let pieces = try (0..<100).map { _ in try cipher.seal(Data("a".utf8), authenticating: Data()) }
    expectEqual(Set(pieces).count, 100)
    #expect(throws: SealingError.tampered) { try other.open(pieces[0], authenticating: Data()) }
    #expect(!"\(cipher)".contains(Self.key.base64EncodedString()))
    var dumped = ""
    dump(cipher, to: &dumped)
    #expect(!dumped.contains("bytes"))
  }

  @Test func `a key of another length is refused in a sentence`() {
    #expect(throws: SealingError.key("A key of AES-256 has 32 bytes; this key has 16.")) {
      try AES256GCM(key: Data(count: 16))
    }
    #expect(
      throws: SealingError.key("A public key of Ed25519 has 32 bytes; this one has 33.")
    ) { try Ed25519Key(Data(count: 33)) }
  }

  #if !canImport(Darwin)
    @Test func `where there is no library that is said with the fix`() {
      let error = SealingError.unavailable(
        "There is no libnone.so.1 and no libnone.so.2 where the system keeps libraries, so data "
          + "cannot be sealed or verified; install OpenSSL (apt install libssl3, dnf install "
          + "openssl-libs)."
      )
      #expect(throws: error) { try LibCrypto(names: ["libnone.so.1", "libnone.so.2"]) }
      #expect(
        throws: SealingError.unavailable(
          "libm.so.6 has no ERR_clear_error; install OpenSSL 3 or 1.1.1."
        )
      ) {
        try LibCrypto(names: ["libm.so.6"])
      }
    }
  #endif

  @Test func `a version's seal is opened by that version alone`() throws {
    let folder = DiskStoreTests.Folder()
    let place = try FileKeyPlace(directory: folder.url)
    let seal = try VersionSeal(keyAt: place, app: "2.1", layer: "1")
    let sealed = try seal.seal(Data("whole".utf8))
    // The next process.
    let again = try VersionSeal(
      keyAt: try FileKeyPlace(directory: folder.url),
      app: "2.1",
      layer: "1"
    )
    try expectEqual(again.open(sealed), Data("whole".utf8))
    for (app, layer) in [("2.2", "1"), ("2.1", "2"), ("2.", "11"), ("", "2.11"), ("2.11", "")] {
      let other = try VersionSeal(keyAt: place, app: app, layer: layer)
      #expect(throws: SealingError.tampered) { try other.open(sealed) }
    }
    for position in sealed.indices {
      var changed = sealed
      changed[position] ^= 0x40
      #expect(throws: SealingError.tampered, "byte \(position)") { try seal.open(changed) }
    }
    // Whoever has no key of that place has none.
    try place.remove("configuration-key")
    let late = try VersionSeal(keyAt: place, app: "2.1", layer: "1")
    #expect(throws: SealingError.tampered) { try late.open(sealed) }
  }

  @Test func `a cache on disk is sealed by whatever cipher it is given`() throws {
    let folder = DiskStoreTests.Folder()
    let cipher = try AES256GCM(key: Self.key)
    let kept = DiskStoreTests.answer("http://a.test/", Data("a secret page".utf8))
    try DiskStore(directory: folder.url, sealedBy: cipher).keep(kept)
    let file = folder.url.appending(path: try #require(try folder.names.first))
    let bytes = try Data(contentsOf: file)
    for text in ["secret", "a.test", "NLC2"] { expectNil(bytes.range(of: Data(text.utf8))) }
    try expectEqual(DiskStore(directory: folder.url, sealedBy: cipher)["http://a.test/"], kept)
    // What was readable before there was a cipher goes when there is one.
    let plain = DiskStoreTests.Folder()
    try DiskStore(directory: plain.url).keep(kept)
    try expectEqual(plain.names.count, 1)
    let sealed = try DiskStore(directory: plain.url, sealedBy: cipher)
    try expectEqual(plain.names, [])
    #expect(sealed.bytes == 0 && sealed["http://a.test/"] == nil)
    // Without the cipher it is a damaged file, which goes.
    try expectNil(DiskStore(directory: folder.url)["http://a.test/"])
    try expectEqual(folder.names, [])
  }
}
