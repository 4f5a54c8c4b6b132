// What the pages use of three; esbuild leaves out the rest.
export {
  AxesHelper, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, FrontSide, GridHelper, Group,
  HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
  MeshLambertMaterial, MeshStandardMaterial, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster,
  RepeatWrapping, SRGBColorSpace, Scene, Texture,
  ShadowMaterial, Sphere, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
