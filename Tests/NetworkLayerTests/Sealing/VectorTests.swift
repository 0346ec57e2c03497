import Foundation
import Origins
import TestSupport
import Testing

@testable import WindTunnelNetworkLayer

/// The vectors of the standards.
@Suite struct VectorTests {
  struct Sealed: Sendable {
    var key, nonce, text, context, sealed: String
  }

  /// "The Galois/Counter Mode of Operation (GCM)", McGrew and Viega, as submitted to NIST,
  /// appendix B, test cases 13 to 16.
  static let gcm = [
    Sealed(
      key: String(repeating: "00", count: 32),
      nonce: String(repeating: "00", count: 12),
      text: "",
      context: "",
      sealed: "530f8afbc74536b9a963b4f1c4cb738b"
    ),
    Sealed(
      key: String(repeating: "00", count: 32),
      nonce: String(repeating: "00", count: 12),
      text: String(repeating: "00", count: 16),
      context: "",
      sealed: "cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919"
    ),
    Sealed(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      text: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      context: "",
      sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
        + "b094dac5d93471bdec1a502270e3cc6c"
    ),
    Sealed(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      text: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        + "76fc6ece0f4e1768cddf8853bb2d551b"
    ),
  ]

  @Test(arguments: gcm)
  func `AES-256-GCM seals and opens as in its submission to NIST`(vector: Sealed) throws {
    let cipher = try AES256GCM(key: Data(hex: vector.key))
    let (nonce, context) = (Data(hex: vector.nonce), Data(hex: vector.context))
    let sealed = try cipher.seal(Data(hex: vector.text), nonce: nonce, authenticating: context)
    expectEqual(sealed, Data(hex: vector.sealed))
    let opened = try cipher.open(sealed, nonce: nonce, authenticating: context)
    expectEqual(opened, Data(hex: vector.text))
  }

  struct Signed: Sendable {
    var seed, key, message, signature: String
  }

  /// RFC 8032 §7.1, tests 1 to 3.
  static let ed25519 = [
    Signed(
      seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      message: "",
      signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    Signed(
      seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      message: "72",
      signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
    Signed(
      seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      message: "af82",
      signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    ),
  ]

  @Test(arguments: ed25519)
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

  struct Derived: Sendable {
    var key, salt, info, output: String
  }

  static func row(_ bytes: ClosedRange<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// RFC 5869, appendix A, the test cases with SHA-256.
  static let hkdf = [
    Derived(
      key: String(repeating: "0b", count: 22),
      salt: row(0x00...0x0C),
      info: row(0xF0...0xF9),
      output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
        + "34007208d5b887185865"
    ),
    Derived(
      key: row(0x00...0x4F),
      salt: row(0x60...0xAF),
      info: row(0xB0...0xFF),
      output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
        + "cc30c58179ec3e87c14c01d5c1f3434f1d87"
    ),
    Derived(
      key: String(repeating: "0b", count: 22),
      salt: "",
      info: "",
      output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
        + "9d201395faa4b61a96c8"
    ),
  ]

  @Test(arguments: hkdf)
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
