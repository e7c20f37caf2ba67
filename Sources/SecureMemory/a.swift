import CSodium
public func f() -> Int32 { sodium_init() }
