#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  @_spi(Reflection) internal import Swift
  internal import Synchronization

  /// An object that the objects of another module's class hold in a stored property, found by its
  /// label.
  ///
  /// Reflection finds it, too, but makes a value of everything on the way, and every replayed
  /// request would pay for that. So the runtime is asked once where the property stands, which does
  /// not change while a process runs.
  final class StoredReference<Owner: AnyObject, Object: AnyObject>: Sendable {
    private let label: String
    /// In bytes from the beginning of an object; 0 is not known yet, -1 for reflection alone to
    /// tell.
    private let place = Atomic(0)
    /// The class of what reflection saw there; to ask an object whether it is of another costs
    /// more.
    private let type = Atomic(0)

    /// `_EachFieldOptions.classType`, which is a variable and so out of reach of checked
    /// concurrency.
    private static var classes: _EachFieldOptions { _EachFieldOptions(rawValue: 1) }

    init(_ label: String) { self.label = label }

    /// Returns what an object holds; `nil` where it has no such property, or something else in it.
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
      // An empty property does not show whether a place is the right one.
      if place == 0, let reflected {
        type.store(Self.number(of: reflected), ordering: .relaxed)
        // Behind the class, which a thread that sees the place compares with.
        self.place.store(seen(reflected, in: owner) ?? -1, ordering: .releasing)
      }
      return reflected
    }

    /// Returns the place that the runtime names, if what stands there is what reflection sees: a
    /// weak reference, for one, is stored otherwise.
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
  /// To look at all properties costs a fourth of a replayed request. So where one stands in its
  /// class, which does not change while a process runs, is found once.
  struct StoredProperty {
    let value: Any

    /// The number of classes up, and the property's number there.
    private struct Place {
      var depth: Int
      var offset: Int
    }

    private struct Name: Hashable {
      var type: ObjectIdentifier
      var label: String
    }

    private static let places = Locked<[Name: Place?]>([:])

    /// `nil` where the object has no such property.
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

    private static func place(of label: String, in object: AnyObject) -> Place? {
      var mirror: Mirror? = Mirror(reflecting: object)
      var depth = 0
      while let current = mirror {
        for (offset, child) in current.children.enumerated() where child.label == label {
          return Place(depth: depth, offset: offset)
        }
        mirror = current.superclassMirror
        depth += 1
      }
      return nil
    }
  }
#endif
