import CShims
