#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  @_spi(Reflection) internal import Swift
  internal import Synchronization

  /// A stored property of another module's class that contains an object, found by its label.
  ///
  /// Reflection finds it too, but creates a value for every property, which would slow down each
  /// replayed request. Therefore the property's offset is requested from the runtime once; it does
  /// not change while a process runs.
  final class StoredReference<Owner: AnyObject, Object: AnyObject>: Sendable {
    private let label: String
    /// The offset in bytes from the beginning of an object; 0 if unknown, -1 if only reflection
    /// finds it.
    private let place = Atomic(0)
    /// The class of the object that reflection found. Comparing it is cheaper than a dynamic cast.
    private let type = Atomic(0)

    /// The value of `_EachFieldOptions.classType`, which is a variable and therefore inaccessible
    /// to checked concurrency.
    private static var classes: _EachFieldOptions { _EachFieldOptions(rawValue: 1) }

    init(_ label: String) { self.label = label }

    /// Returns the property's object; `nil` if the property is missing or has another type.
    func find(in owner: Owner) -> Object? {
      let place = place.load(ordering: .acquiring)
      if place > 0 {
        guard let found = Self.word(at: place, in: owner) else { return nil }
        let object = Unmanaged<AnyObject>.fromOpaque(found).takeUnretainedValue()
        if Self.number(of: object) == type.load(ordering: .relaxed) {
          return unsafeDowncast(object, to: Object.self)
        }
        return object as? Object
      }
      let reflected = StoredProperty(label, of: owner)?.value as? Object
      // An empty property cannot confirm the offset.
      if place == 0, let reflected {
        type.store(Self.number(of: reflected), ordering: .relaxed)
        // Stored after the class, because a thread that reads the offset compares with the class.
        self.place.store(seen(reflected, in: owner) ?? -1, ordering: .releasing)
      }
      return reflected
    }

    /// Returns the runtime's offset, if the object at that offset is the reflected one.
    ///
    /// A weak reference, for example, is stored differently.
    private func seen(_ reflected: Object, in owner: Owner) -> Int? {
      var place: Int?
      _forEachField(of: Owner.self, options: Self.classes) { name, offset, _, _ in
        guard String(cString: name) == label else { return true }
        if Self.word(at: offset, in: owner) == Unmanaged.passUnretained(reflected).toOpaque() {
          place = offset
        }
        return false
      }
      return place
    }

    private static func number(of object: AnyObject) -> Int {
      Int(bitPattern: ObjectIdentifier(Swift.type(of: object)))
    }

    private static func word(at offset: Int, in owner: Owner) -> UnsafeMutableRawPointer? {
      withExtendedLifetime(owner) {
        Unmanaged.passUnretained(owner).toOpaque()
          .load(fromByteOffset: offset, as: UnsafeMutableRawPointer?.self)
      }
    }
  }

  /// A stored property of an object of another module, found by its label.
  ///
  /// Reflecting all properties takes a fourth of a replayed request's time. Therefore the
  /// property's position in its class is found once; it does not change while a process runs.
  struct StoredProperty {
    let value: Any

    /// The number of superclass steps, and the property's index in that class.
    private struct PropertyIndex {
      var depth: Int
      var offset: Int
    }

    private struct Name: Hashable {
      var type: ObjectIdentifier
      var label: String
    }

    private static let places = Locked<[Name: PropertyIndex?]>([:])

    /// Reads the property; `nil` if the object has no such property.
    init?(_ label: String, of object: AnyObject) {
      let name = Name(type: ObjectIdentifier(type(of: object)), label: label)
      let known = Self.places.withLock { $0[name] }
      let place = known ?? Self.place(of: label, in: object)
      if known == nil { Self.places.withLock { $0[name] = .some(place) } }
      guard let place else { return nil }
      var mirror = Mirror(reflecting: object)
      for _ in 0..<place.depth { mirror = mirror.superclassMirror ?? mirror }
      let children = mirror.children
      value = children[children.index(children.startIndex, offsetBy: place.offset)].value
    }

    private static func place(of label: String, in object: AnyObject) -> PropertyIndex? {
      var mirror: Mirror? = Mirror(reflecting: object)
      var depth = 0
      while let current = mirror {
        for (offset, child) in current.children.enumerated() where child.label == label {
          return PropertyIndex(depth: depth, offset: offset)
        }
        mirror = current.superclassMirror
        depth += 1
      }
      return nil
    }
  }
#endif
