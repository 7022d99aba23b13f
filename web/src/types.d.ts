declare const WORKER_TEXT: string;
declare module "carom-viewer" {
  export const PlaneView: any, SpaceView: any, INK: any;
  export const MODES: Record<string, {name: string, fill: string}>;
  export function handle(canvas: HTMLCanvasElement, drag: any, zoom: any): void;
  export function sharpen(canvas: HTMLCanvasElement): {context: CanvasRenderingContext2D, width: number, height: number};
  export function roundSteps(low: number, high: number, most: number): number[];
  export function indexAt(times: ArrayLike<number>, t: number): number;
  export function shown(value: number | null, digits?: number): string;
}
declare module "three" {
  export type WebGLRenderer = any;
  export type Vector3 = any;
  export const ConeGeometry: any, HemisphereLight: any, InstancedMesh: any, LineLoop: any, MeshBasicMaterial: any, BufferAttribute: any, BufferGeometry: any, CapsuleGeometry: any, Color: any, CylinderGeometry: any, DirectionalLight: any, DoubleSide: any, EdgesGeometry: any, GridHelper: any, Group: any, Line: any, LineBasicMaterial: any, LineSegments: any, Matrix4: any, Mesh: any, MeshLambertMaterial: any, PCFShadowMap: any, PerspectiveCamera: any, PlaneGeometry: any, Scene: any, TorusGeometry: any, Vector3: any, WebGLRenderer: any;
}
