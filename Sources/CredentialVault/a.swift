import VaultStorage
public func k() -> String { h() }
