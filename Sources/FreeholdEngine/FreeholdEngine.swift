import CShims
import Platform
