import Origins
import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// The vectors of the standards.
@Suite struct VectorTests {
  struct Sealed: Decodable, Sendable {
    var key, nonce, text, context, sealed: String
  }

  /// "The Galois/Counter Mode of Operation (GCM)", McGrew and Viega, as submitted to NIST,
  /// appendix B, test cases 13 to 16.
  @Test(arguments: try TestData.rows("aes-gcm.json", count: 4) as [Sealed])
  func `AES-256-GCM seals and opens as in its submission to NIST`(vector: Sealed) throws {
    let cipher = try AES256GCM(key: Data(hex: vector.key))
    let (nonce, context) = (Data(hex: vector.nonce), Data(hex: vector.context))
    let sealed = try cipher.seal(Data(hex: vector.text), nonce: nonce, authenticating: context)
    expectEqual(sealed, Data(hex: vector.sealed))
    let opened = try cipher.open(sealed, nonce: nonce, authenticating: context)
    expectEqual(opened, Data(hex: vector.text))
  }

  struct Signed: Decodable, Sendable {
    var seed, key, message, signature: String
  }

  /// RFC 8032 §7.1, tests 1 to 3.
  @Test(arguments: try TestData.rows("ed25519.json", count: 3) as [Signed])
  func `Ed25519 verifies what RFC 8032 signs, and no byte of it changed`(vector: Signed) throws {
    let key = try Ed25519Key(Data(hex: vector.key))
    let (message, signature) = (Data(hex: vector.message), Data(hex: vector.signature))
    #expect(key.isValid(signature, of: message))
    for place in signature.indices {
      var other = signature
      other[place] ^= 1
      #expect(!key.isValid(other, of: message), "byte \(place)")
    }
    #expect(!key.isValid(signature, of: message + [0]))
    #expect(!key.isValid(signature.dropLast(), of: message))
    #expect(!key.isValid(signature + [0], of: message))
    for place in 0..<32 {
      var other = Data(hex: vector.key)
      other[place] ^= 1
      #expect(!(try Ed25519Key(other)).isValid(signature, of: message), "byte \(place)")
    }
    // The tests' own signer is held by the same rows.
    let signer = try Ed25519Signer(seed: Data(hex: vector.seed))
    expectEqual(signer.publicKey, Data(hex: vector.key))
    try expectEqual(signer.sign(message), signature)
  }

  struct Derived: Decodable, Sendable {
    var key, salt, info, output: String
  }

  /// RFC 5869, appendix A, the test cases with SHA-256.
  @Test(arguments: try TestData.rows("hkdf.json", count: 3) as [Derived])
  func `HKDF derives what RFC 5869 says`(vector: Derived) {
    let output = Data(hex: vector.output)
    let derived = KeyDerivation.hkdf(
      Data(hex: vector.key),
      salt: Data(hex: vector.salt),
      info: Data(hex: vector.info),
      bytes: output.count
    )
    expectEqual(derived, output)
  }
}
